import { describe, expect, it } from '@jest/globals';
import {
  completedTitles,
  resultsOfBatch,
  startRows,
  untilWaiting,
  writeRows,
} from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
const ROWS = 30;
const options = { parallelUploads: 10, pageRows: 15 };

/** Resolves once a fault has occurred `times` times since `from`, a number of events. */
function struckSince(
  { simulator }: UploadFixture,
  from: number,
): (fault: string, times: number) => Promise<void> {
  return async (fault, times) => {
    let count = 0;
    await simulator.waitFor(({ event, seq, fault: name }) => {
      if (event === 'fault' && name === fault && seq > from) count += 1;
      return count >= times;
    });
  };
}

describe('a batch whose upload host is unreachable', () => {
  it('fails no row while a gateway answers 502, and continues each row when the host is back', async () => {
    const { fixture } = on;
    const struck = struckSince(fixture, fixture.simulator.events().at(-1)?.seq ?? 0);
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
    expect([...completedTitles(fixture).values()]).toEqual(rows.map(() => 1));
  });

  it('makes at most one extra session per row when answers to a start are lost, and names it', async () => {
    const { fixture } = on;
    const struck = struckSince(fixture, fixture.simulator.events().at(-1)?.seq ?? 0);
    const before = fixture.simulator.seen().starts;
    const rows = await writeRows(fixture, 'lost', ROWS);
    for (const fault of ['start-lost:always', 'session-502:always']) fixture.simulator.fault(fault);
    const batch = await startRows(fixture, 'lost', rows, { options });
    await struck('start-lost', options.parallelUploads);
    await struck('session-502', 5);
    expect(fixture.simulator.seen().starts - before).toBe(options.parallelUploads);
    fixture.simulator.clearFaults();
    expect((await batch.result()).counts).toMatchObject({ rows: ROWS, completed: ROWS, failed: 0 });
    expect(fixture.simulator.seen().starts - before).toBe(ROWS + options.parallelUploads);
    const lines = await resultsOfBatch(fixture, 'lost');
    expect(lines.filter(({ orphans }) => orphans.length === 1)).toHaveLength(options.parallelUploads);
  });
});
