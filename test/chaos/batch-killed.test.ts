import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { expectAgreement } from '../support/batch-agreement';
import { batchFolder, resultsOfBatch, startRows, writeRows } from '../support/batch-fixture';
import { useOwnTemporal } from '../support/own-temporal';
import { seenEvents } from '../support/seen-events';
import { storedTree } from '../support/stored-texts';
import type { WorkerProcess } from '../support/worker-process';
import { CANARIES, expectIntact } from './activity-table/invariant';

const ROWS = 120;

const temporal = useOwnTemporal({ simulator: { account: CANARIES } });

describe('a batch whose workers and server are killed while parts fail', () => {
  it('loses, doubles, hides and leaks nothing: workflow, results, simulator and storage agree', async () => {
    const { fixture } = temporal;
    let logs = '';
    const onLog = (text: string): void => {
      logs += text;
    };
    const startWorker = (): Promise<WorkerProcess> =>
      fixture.startWorkerProcess({ logLevel: 'info' }, { onLog });
    const rows = await writeRows(fixture, 'killed', ROWS);
    const poison = rows[17];
    if (poison === undefined) throw new Error('There are more rows.');
    await writeFile(poison.source, '');
    // One part in ten fails in some way.
    for (const fault of ['put-503:4', 'put-500:4', 'put-reset:4', 'start-lost:2', 'complete-lost:2']) {
      fixture.simulator.fault(fault);
    }
    let worker = await startWorker();
    let other = await startWorker();
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
        other = await startWorker();
      }
      [worker, other] = [other, await startWorker()];
    }
    const { counts } = await result;
    expect(counts).toMatchObject({ rows: ROWS, completed: ROWS - 1, failed: 1, running: 0, waiting: 0 });
    const lines = await resultsOfBatch(fixture, 'killed');
    expect(lines.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(lines.filter(({ status }) => status !== 'COMPLETED')).toMatchObject([{ id: poison.id }]);
    await expectAgreement(fixture, rows, lines);
    const earlier = await storedTree(fixture.connection, batch.workflowId);
    await writeFile(poison.source, 'healed');
    const again = await startRows(fixture, 'killed', rows, { options, retryFailed: true });
    expect((await again.result()).counts).toMatchObject({ completed: ROWS, failed: 0, earlier: ROWS - 1 });
    const ended = await resultsOfBatch(fixture, 'killed');
    await expectAgreement(fixture, rows, ended);
    const evidence = {
      workflowIds: [again.workflowId],
      earlier,
      files: new Map(rows.map(({ id, source }) => [`Film ${id}`, source])),
      reported: [lines, ended],
      folders: [batchFolder(fixture, 'killed')],
    };
    await expectIntact(fixture, evidence, { logs, events: fixture.simulator.events() });
  });
});
