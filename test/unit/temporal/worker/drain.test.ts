import { describe, expect, it } from '@jest/globals';
import { createDrain } from '../../../../temporal/worker/drain';
import { fakeClock } from '../../api/fake-clock';

const MB = 1_000_000;

describe('draining a worker', () => {
  it.each<[string, { bytes: number; sent: number; seconds: number }, boolean]>([
    ['a part that is nearly done', { bytes: 100 * MB, sent: 90 * MB, seconds: 9 }, false],
    ['a large part whose rest is small', { bytes: 600 * MB, sent: 590 * MB, seconds: 59 }, false],
    ['a part that needs four fifths of the grace', { bytes: 34 * MB, sent: 10 * MB, seconds: 10 }, false],
    ['a part that needs hardly less than the grace', { bytes: 37 * MB, sent: 10 * MB, seconds: 10 }, true],
    ['a part that needs longer than the grace', { bytes: 600 * MB, sent: 10 * MB, seconds: 1 }, true],
    ['a part that has sent nothing', { bytes: 5 * MB, sent: 0, seconds: 0 }, true],
  ])('decides about %s by its rate', (_what, { bytes, sent, seconds }, isRequeued) => {
    const clock = fakeClock();
    const drain = createDrain({ clock, graceMs: 30_000 });
    const slot = drain.enter({ partNumber: 7, bytes });
    if (sent > 0) {
      slot.onBytes(1);
      clock.advance(seconds * 1000);
      slot.onBytes(sent);
    }
    drain.begin();
    expect(slot.signal.aborted).toBe(isRequeued);
    if (isRequeued) {
      expect(slot.signal.reason).toMatchObject({ code: 'WorkerBusy', facts: { retryAfterMs: 100 } });
    }
  });

  it('uses the rate of the running try, and says whether storage may hold bytes of a requeued part', () => {
    const clock = fakeClock();
    const drain = createDrain({ clock, graceMs: 30_000 });
    const [slow, quick, unsent] = [1, 2, 3].map((partNumber) => drain.enter({ partNumber, bytes: 40 * MB }));
    for (const slot of [slow, quick]) {
      slot?.onBytes(1);
      clock.advance(1_000);
      slot?.onBytes(10 * MB);
    }
    // Its connection broke, and it starts again.
    quick?.onBytes(0);
    clock.advance(60_000);
    quick?.onBytes(1);
    clock.advance(1_000);
    quick?.onBytes(10 * MB);
    drain.begin();
    expect([slow, quick, unsent].map((slot) => slot?.signal.aborted)).toEqual([true, false, true]);
    const reasons = [slow, unsent].map((slot): unknown => slot?.signal.reason);
    expect(reasons).toMatchObject([{ facts: { outcome: 'ambiguous' } }, { facts: { outcome: 'unsent' } }]);
  });

  it('ignores parts that ended, and requeues late parts at once', () => {
    const drain = createDrain({ clock: fakeClock(), graceMs: 1_000 });
    const ended = drain.enter({ partNumber: 1, bytes: 100 * MB });
    ended.leave();
    drain.begin();
    expect(ended.signal.aborted).toBe(false);
    expect(drain.enter({ partNumber: 2, bytes: 100 * MB }).signal.aborted).toBe(true);
  });
});
