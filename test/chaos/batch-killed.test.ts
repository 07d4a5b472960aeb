import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectAgreement } from '../support/batch-agreement';
import { accountOfBatch, startRows, writeRows } from '../support/batch-bed';
import type { TempDir } from '../support/temp-dir';
import { createTempDir } from '../support/temp-dir';
import { startTemporalServer } from '../support/temporal-server';
import type { TemporalServer } from '../support/temporal-server';
import { openUploadBed } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';

const ROWS = 120;

let data: TempDir;
let server: TemporalServer;
let bed: UploadBed;
beforeAll(async () => {
  data = await createTempDir('temporal');
  server = await startTemporalServer({ dbFile: join(data.path, 'temporal.db') });
  bed = await openUploadBed({ temporal: { address: server.address, namespace: server.namespace } });
});
afterAll(async () => {
  await bed.close();
  await server.stop();
  await data.remove();
});

/** Resolves once so many requests of a kind were seen, however many of them there were before. */
async function seen(event: string, count: number): Promise<void> {
  let found = 0;
  await bed.simulator.waitFor((one) => one.event === event && (found += 1) >= count);
}

describe('a batch whose workers and server are killed while parts fail', () => {
  it('loses no row and uploads none twice: workflow, account, simulator and storage agree', async () => {
    const rows = await writeRows(bed, 'killed', ROWS);
    const poison = rows[17];
    if (poison === undefined) throw new Error('There are more rows.');
    await writeFile(poison.source, '');
    // One part in ten fails, in one way or another.
    for (const fault of ['put-503:4', 'put-500:4', 'put-reset:4', 'start-lost:2', 'complete-lost:2']) {
      bed.simulator.fault(fault);
    }
    let worker = await bed.startWorkerProcess();
    let other = await bed.startWorkerProcess();
    const options = { window: 16, pageRows: 20, pagesPerRun: 2 };
    const batch = await startRows(bed, 'killed', rows, { options });
    const result = batch.result();
    for (const completes of [10, 30, 50, 70]) {
      await seen('complete-accepted', completes);
      await worker.kill('SIGKILL');
      if (completes === 50) {
        await server.kill('SIGKILL');
        server = await startTemporalServer({ port: server.port, dbFile: join(data.path, 'temporal.db') });
        await other.kill('SIGKILL');
        other = await bed.startWorkerProcess();
      }
      [worker, other] = [other, await bed.startWorkerProcess()];
    }
    const { counts } = await result;
    expect(counts).toMatchObject({ rows: ROWS, completed: ROWS - 1, failed: 1, running: 0, waiting: 0 });
    const lines = await accountOfBatch(bed, 'killed');
    expect(lines.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(lines.filter(({ status }) => status !== 'COMPLETED')).toMatchObject([{ id: poison.id }]);
    await expectAgreement(bed, rows, lines);
    await writeFile(poison.source, 'healed');
    const again = await startRows(bed, 'killed', rows, { options, retryFailed: true });
    expect((await again.result()).counts).toMatchObject({ completed: ROWS, failed: 0, earlier: ROWS - 1 });
    await expectAgreement(bed, rows, await accountOfBatch(bed, 'killed'));
  });
});
