import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Clock } from '../../../../../api/clock';
import { fakeClock } from '../../fake-clock';
import { createBandwidthLimiter } from '../../../../../api/upload/part/admission';

/** A clock on which time passes only while somebody sleeps. The earliest sleeper wakes first. */
function sleepersClock(): Clock & { run(work: readonly Promise<unknown>[]): Promise<void> } {
  let now = 1_000_000;
  const sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const abort = (): void => reject(signal?.reason);
        signal?.addEventListener('abort', abort, { once: true });
        const wake = (): void => {
          signal?.removeEventListener('abort', abort);
          resolve();
        };
        sleepers.push({ at: now + ms, wake });
      }),
    async run(work) {
      let left = work.length;
      const all = Promise.all(work.map((one) => one.finally(() => (left -= 1))));
      while (left > 0) {
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
        const next = sleepers.sort((a, b) => a.at - b.at).shift();
        if (next === undefined) continue;
        now = Math.max(now, next.at);
        next.wake();
      }
      await all;
    },
  };
}

const { signal } = new AbortController();
const BURST_S = 0.25;

interface Left {
  readonly at: number;
  readonly bytes: number;
}

/** The maximum over all spans of the bytes sent beyond rate × span. */
function maxAboveRate(left: readonly Left[], rate: number): number {
  let sum = 0;
  let least = Infinity;
  let highest = 0;
  for (const { at, bytes } of left) {
    const due = (rate * at) / 1000;
    least = Math.min(least, sum - due);
    sum += bytes;
    highest = Math.max(highest, sum - due - least);
  }
  return highest;
}

describe('the bandwidth limiter', () => {
  it('never exceeds the rate plus a burst and a slice in any span, whoever sends how much', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 64 * 1024, max: 50_000_000 }),
        fc.array(fc.integer({ min: 1, max: 2_000_000 }), { minLength: 1, maxLength: 6 }),
        async (rate, bodies) => {
          const clock = sleepersClock();
          const limiter = createBandwidthLimiter(rate, clock);
          const left: Left[] = [];
          const send = async (bytes: number): Promise<void> => {
            for (let rest = Math.min(bytes, rate * 3); rest > 0;) {
              const slice = Math.min(rest, limiter.sliceBytes());
              await limiter.take(slice, signal);
              left.push({ at: clock.now(), bytes: slice });
              rest -= slice;
            }
          };
          await clock.run(bodies.map(send));
          expect(maxAboveRate(left, rate)).toBeLessThanOrEqual(
            rate * (BURST_S + 0.002) + limiter.sliceBytes(),
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  it('uses the whole rate, and divides it evenly among the senders', async () => {
    const clock = sleepersClock();
    const limiter = createBandwidthLimiter(1_000_000, clock);
    const from = clock.now();
    const sent = [0, 0, 0, 0];
    const send = async (who: number): Promise<void> => {
      while (clock.now() - from < 10_000) {
        await limiter.take(limiter.sliceBytes(), signal);
        sent[who] = (sent[who] ?? 0) + limiter.sliceBytes();
      }
    };
    await clock.run(sent.map((_, who) => send(who)));
    const total = sent.reduce((sum, one) => sum + one, 0);
    expect(total / 10_000_000).toBeGreaterThan(0.97);
    expect(Math.max(...sent) / Math.min(...sent)).toBeLessThan(1.1);
  });

  it('allows a burst of a quarter of a second after a pause, however long that was', async () => {
    const clock = fakeClock();
    const limiter = createBandwidthLimiter(1_000_000, clock);
    for (const pauseMs of [0, 250, 3_600_000]) {
      clock.advance(pauseMs);
      const before = clock.slept.length;
      for (let n = 0; n < 5; n += 1) await limiter.take(62_500, signal);
      expect(clock.slept.slice(before)).toEqual([]);
      await limiter.take(62_500, signal);
      expect(clock.slept.slice(before)).toEqual([63]);
      clock.advance(250);
      await limiter.take(0, signal);
    }
  });

  it("ends a wait with the signal's reason, and the ones behind it continue", async () => {
    const clock = sleepersClock();
    const limiter = createBandwidthLimiter(1_000, clock);
    const aborting = new AbortController();
    await limiter.take(1_000, signal);
    const ended = limiter.take(1_000, aborting.signal);
    const behind = limiter.take(1_000, signal);
    aborting.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
    await clock.run([behind]);
  });
});
