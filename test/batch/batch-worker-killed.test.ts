import { openBatch } from '../../temporal/batch/client/open-batch';
import { batchFolder, progressWhen, startRows, writeRows } from '../support/batch-fixture';
import { seenEvents } from '../support/seen-events';
import { HELD, useUploadFixture } from '../support/upload-fixture';

const late = useUploadFixture({ worker: false, simulator: { processingMs: 3_000 } });
const rest = useUploadFixture({ worker: false });

it('a batch in its first run whose worker is killed while the service processes its rows counts none of them as completed by an earlier run', async () => {
  const { fixture } = late;
  const worker = await fixture.startWorkerProcess();
  const rows = await writeRows(fixture, 'processed', 3);
  const batch = await startRows(fixture, 'processed', rows, {
    options: { upload: { heartbeatMs: 4_000 } },
  });
  await seenEvents(fixture.simulator, { event: 'complete-accepted', count: 3 });
  await worker.kill('SIGKILL');
  await fixture.startWorkerProcess();
  expect((await batch.result()).counts).toMatchObject({ completed: 3, earlier: 0 });
  expect(fixture.simulator.seen()).toMatchObject({ starts: 3, completesAccepted: 3 });
});

it('a batch whose worker has just died still shows every row that had ended, while another machine answers for the batch', async () => {
  const { fixture } = rest;
  const { connection, config } = fixture;
  const { host } = config;
  await fixture.startWorker({ host: 'another-host' });
  const worker = await fixture.startWorkerProcess();
  const rows = await writeRows(fixture, 'shown', 6);
  fixture.simulator.fault('hold:2');
  const batch = await startRows(fixture, 'shown', rows, {
    folder: { kind: 'path', path: batchFolder(fixture, 'shown'), host },
    options: { pageRows: 6, sourceHost: host, upload: { ...HELD, heartbeatMs: 8_000 } },
  });
  await progressWhen(batch, ({ counts }) => counts.completed === 4 && counts.running === 2);
  await worker.kill('SIGKILL');
  const counts = { completed: 4, running: 2, waiting: 0 };
  const shown = await openBatch(connection, batch.workflowId).progress();
  expect(shown).toMatchObject({ phase: 'uploading', counts });
  fixture.simulator.release();
  await fixture.startWorkerProcess();
  expect((await batch.result()).counts).toMatchObject({ completed: 6, failed: 0 });
});
