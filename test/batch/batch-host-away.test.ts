import { expectOnce, startRows, untilWaiting, writeRows } from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
const ROWS = 30;
const options = { parallelUploads: 10, pageRows: 15 };

it('a batch whose upload host is unreachable fails no row while a gateway answers 502, and continues each row when the host is back', async () => {
  const { fixture } = on;
  const struck = async (name: string, times: number): Promise<void> => {
    let count = 0;
    await fixture.simulator.waitFor(
      ({ event, fault }) => event === 'fault' && fault === name && (count += 1) >= times,
    );
  };
  const rows = await writeRows(fixture, 'gateway', ROWS);
  // Searches keep working, since they use another host.
  for (const operation of ['start', 'session', 'complete'])
    fixture.simulator.fault(`${operation}-502:always`);
  const batch = await startRows(fixture, 'gateway', rows, { options });
  await struck('start-502', options.parallelUploads);
  // While the batch checks the host again and again, it sends no other start.
  await struck('session-502', 5);
  expect(fixture.simulator.seen().faults.struck['start-502']).toBe(options.parallelUploads);
  const waiting = await untilWaiting(batch);
  expect(waiting).toMatchObject({
    counts: { failed: 0 },
    waitReason: { message: expect.stringContaining('upload host failed (502)') },
  });
  fixture.simulator.clearFaults();
  expect((await batch.result()).counts).toMatchObject({ rows: ROWS, completed: ROWS, failed: 0 });
  // The 502 came from a gateway and not from the service, so nothing was made twice.
  expect(fixture.simulator.seen().starts).toBe(ROWS);
  expectOnce(fixture, rows);
});
