import { describe, expect, it } from '@jest/globals';
import type { LiveBatch } from '../../temporal/client/batch/batch-handle';
import { accountOfBatch, completedTitles, progressWhen, startRows, writeRows } from '../support/batch-bed';
import { useUploadBed } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';

const on = useUploadBed();
const ROWS = 30;
const options = { window: 10, pageRows: 15 };

/** Resolves once a fault has struck so often since `from`, a number of events. */
function struckSince(
  { simulator }: UploadBed,
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

describe('a batch whose upload host is away', () => {
  it('behind a gateway that answers 502: no row fails, and each goes on when it is back', async () => {
    const { bed } = on;
    const struck = struckSince(bed, bed.simulator.events().at(-1)?.seq ?? 0);
    const rows = await writeRows(bed, 'gateway', ROWS);
    // The host of searches stays: it is another one.
    for (const operation of ['start', 'session', 'complete']) bed.simulator.fault(`${operation}-502:always`);
    const batch = await startRows(bed, 'gateway', rows, { options });
    await struck('start-502', options.window);
    // Asked again and again whether it answers, it is sent no other start.
    await struck('session-502', 5);
    expect(bed.simulator.seen().faults.struck['start-502']).toBe(options.window);
    const waiting = await progressWhen(batch, ({ heldUpBy }: LiveBatch) => heldUpBy !== undefined);
    expect(waiting).toMatchObject({
      counts: { failed: 0 },
      heldUpBy: { message: expect.stringContaining('upload host failed (502)') },
    });
    bed.simulator.clearFaults();
    expect((await batch.result()).counts).toMatchObject({ rows: ROWS, completed: ROWS, failed: 0 });
    // Its 502 came from no service: nothing was made twice.
    expect(bed.simulator.seen().starts).toBe(ROWS);
    expect([...completedTitles(bed).values()]).toEqual(rows.map(() => 1));
  });

  it('with the answers of starts that it carried out: each row makes one session more at most, and names it', async () => {
    const { bed } = on;
    const struck = struckSince(bed, bed.simulator.events().at(-1)?.seq ?? 0);
    const before = bed.simulator.seen().starts;
    const rows = await writeRows(bed, 'lost', ROWS);
    for (const fault of ['start-lost:always', 'session-502:always']) bed.simulator.fault(fault);
    const batch = await startRows(bed, 'lost', rows, { options });
    await struck('start-lost', options.window);
    await struck('session-502', 5);
    expect(bed.simulator.seen().starts - before).toBe(options.window);
    bed.simulator.clearFaults();
    expect((await batch.result()).counts).toMatchObject({ rows: ROWS, completed: ROWS, failed: 0 });
    expect(bed.simulator.seen().starts - before).toBe(ROWS + options.window);
    const lines = await accountOfBatch(bed, 'lost');
    expect(lines.filter(({ orphans }) => orphans.length === 1)).toHaveLength(options.window);
  });
});
