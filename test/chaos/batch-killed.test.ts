import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { expectAgreement } from '../support/batch-agreement';
import { resultsOfBatch, startRows, writeRows } from '../support/batch-fixture';
import { useOwnTemporal } from '../support/own-temporal';
import { seenEvents } from '../support/seen-events';

const ROWS = 120;

const temporal = useOwnTemporal();

describe('a batch whose workers and server are killed while parts fail', () => {
  it('loses no row and uploads none twice: workflow, results, simulator and storage agree', async () => {
    const { fixture } = temporal;
    const rows = await writeRows(fixture, 'killed', ROWS);
    const poison = rows[17];
    if (poison === undefined) throw new Error('There are more rows.');
    await writeFile(poison.source, '');
    // One part in ten fails in some way.
    for (const fault of ['put-503:4', 'put-500:4', 'put-reset:4', 'start-lost:2', 'complete-lost:2']) {
      fixture.simulator.fault(fault);
    }
    let worker = await fixture.startWorkerProcess();
    let other = await fixture.startWorkerProcess();
    const options = { parallelUploads: 16, pageRows: 20, pagesPerRun: 2 };
    const batch = await startRows(fixture, 'killed', rows, { options });
    const result = batch.result();
    for (const completes of [10, 30, 50, 70]) {
      await seenEvents(fixture.simulator, { event: 'complete-accepted', count: completes });
      await worker.kill('SIGKILL');
      if (completes === 50) {
        await temporal.kill();
        await temporal.restart();
        await other.kill('SIGKILL');
        other = await fixture.startWorkerProcess();
      }
      [worker, other] = [other, await fixture.startWorkerProcess()];
    }
    const { counts } = await result;
    expect(counts).toMatchObject({ rows: ROWS, completed: ROWS - 1, failed: 1, running: 0, waiting: 0 });
    const lines = await resultsOfBatch(fixture, 'killed');
    expect(lines.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(lines.filter(({ status }) => status !== 'COMPLETED')).toMatchObject([{ id: poison.id }]);
    await expectAgreement(fixture, rows, lines);
    await writeFile(poison.source, 'healed');
    const again = await startRows(fixture, 'killed', rows, { options, retryFailed: true });
    expect((await again.result()).counts).toMatchObject({ completed: ROWS, failed: 0, earlier: ROWS - 1 });
    await expectAgreement(fixture, rows, await resultsOfBatch(fixture, 'killed'));
  });
});
