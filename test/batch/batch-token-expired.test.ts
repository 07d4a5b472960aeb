import { startRows, writeRows } from '../support/batch-fixture';
import { seenEvents } from '../support/seen-events';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

it('a processed row is not lost if its poll meets an expired token twice', async () => {
  const { fixture } = on;
  const rows = await writeRows(fixture, 'expired', 1);
  const { simulator } = fixture;
  const afterSeq = simulator.events().at(-1)?.seq ?? 0;
  simulator.fault('processing-stuck:1');
  const batch = await startRows(fixture, 'expired', rows, { options: { upload: { pollDelayMs: 100 } } });
  await seenEvents(simulator, { event: 'held', count: 1, afterSeq });
  simulator.fault('token-expired-once:2:operation=session');
  await seenEvents(simulator, { event: 'fault', count: 3, afterSeq });
  simulator.release();
  expect((await batch.result()).counts).toMatchObject({ completed: 1, failed: 0 });
});
