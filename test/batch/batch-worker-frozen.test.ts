import { resultsOfBatch, startRows, writeRows } from '../support/batch-fixture';
import { expectAgreement } from '../support/batch-agreement';
import { seenEvents } from '../support/seen-events';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
const HEARTBEAT_MS = 2_000;

it('a batch whose worker freezes for longer than its heartbeat timeout, and then continues, is uploaded once by another worker: the frozen one sends no complete any more', async () => {
  const { fixture } = on;
  const { simulator } = fixture;
  const frozen = await fixture.startWorkerProcess();
  const rows = await writeRows(fixture, 'frozen', 3);
  simulator.fault('hold:2');
  const options = { upload: { heartbeatMs: HEARTBEAT_MS, stallMs: 600_000 } };
  const batch = await startRows(fixture, 'frozen', rows, { options });
  await seenEvents(simulator, { event: 'held', count: 2 });
  process.kill(frozen.pid, 'SIGSTOP');
  const before = simulator.events().length;
  await fixture.startWorkerProcess();
  // Its answers wait for the frozen worker.
  simulator.release();
  expect((await batch.result()).counts).toMatchObject({ rows: 3, completed: 3, failed: 0 });
  expect(simulator.events().length).toBeGreaterThan(before);
  process.kill(frozen.pid, 'SIGCONT');
  // It continues where it was, and drains.
  await frozen.kill('SIGTERM');
  await expectAgreement(fixture, rows, await resultsOfBatch(fixture, 'frozen'), { lostWorker: true });
});
