import { afterEach, describe, expect, it } from '@jest/globals';
import type { LiveBatch } from '../../temporal/client/batch/batch-handle';
import { sealKeysOf } from '../../temporal/seal';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { progressWhen, startRows, writeRows } from '../support/batch-bed';
import type { BatchRow } from '../support/batch-bed';
import { openUploadBed } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';

const NEXT = 'the-next-secret-key';

let bed: UploadBed;
afterEach(() => bed.close());

async function openBed(): Promise<void> {
  bed = await openUploadBed();
  bed.simulator.acceptSecretKeys([bed.account.secretKey, NEXT]);
}

/** Rows whose addresses are sealed on their way, and in the batch's folder. */
async function rowsOverHttp(name: string, count: number): Promise<BatchRow[]> {
  const rows = await writeRows(bed, name, count);
  return Promise.all(
    rows.map(async (row) => ({
      ...row,
      source: String((await bed.serveFile(row.source, '?signature=x')).url),
    })),
  );
}

function withNextKey(): Partial<WorkerConfig> {
  const { account } = bed;
  const accounts = bed.config.accounts.map((served) => ({
    ...served,
    account: { ...served.account, secretKey: NEXT },
    previousSecretKeys: [account.secretKey],
  }));
  return { accounts, host: 'next-host' };
}

describe('a batch whose account gets another secret key', () => {
  it('loses no row when its workers are replaced by some that are given the key before', async () => {
    await openBed();
    const stopOld = await bed.startWorker();
    const rows = await rowsOverHttp('kept', 6);
    const batch = await startRows(bed, 'kept', rows, { options: { window: 1, pageRows: 2 } });
    await progressWhen(batch, ({ counts }) => counts.completed >= 1);
    await bed.startWorker(withNextKey());
    await stopOld();
    bed.simulator.acceptSecretKeys([NEXT]);
    bed.simulator.expireTokens();
    expect((await batch.result()).counts).toMatchObject({ rows: 6, completed: 6 });
  });

  it('is planned by the first worker that opens its rows, and says until then what it waits for', async () => {
    await openBed();
    const stopOld = await bed.startWorker();
    const rows = await rowsOverHttp('next', 2);
    const account = { ...bed.account, secretKey: NEXT };
    const batch = await startRows(bed, 'next', rows, { account });
    const waiting = await progressWhen(batch, ({ heldUpBy }: LiveBatch) => heldUpBy !== undefined);
    expect(waiting).toMatchObject({
      phase: 'planning',
      heldUpBy: {
        code: 'Configuration',
        message: expect.stringContaining(`made with key ${sealKeysOf(NEXT).current.id}`),
      },
    });
    await bed.startWorker(withNextKey());
    await stopOld();
    expect((await batch.result()).counts).toMatchObject({ rows: 2, completed: 2 });
  });
});
