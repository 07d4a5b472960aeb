import fc from 'fast-check';
import { createBandwidthLimiter } from '../../../../../api/upload/part/admission';
import { aborted } from './fake-storage';

const { signal } = new AbortController();

/** A limiter whose clock says when bytes that are asked for at some time leave, ms. */
function limiterOf(rate: number) {
  let now = 0;
  let slept = 0;
  const clock = { now: () => now, sleep: async (ms: number) => void (slept = ms) };
  const limiter = createBandwidthLimiter(rate, clock);
  return {
    sliceBytes: limiter.sliceBytes(),
    async leaveAt(asked: number, bytes: number): Promise<number> {
      [now, slept] = [asked, 0];
      await limiter.take(bytes, signal);
      return asked + slept;
    },
  };
}

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
  it('never exceeds the rate plus a burst and a slice in any span, whoever asks when for how much', async () => {
    const pauses = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1_000 }));
    const shares = fc.double({ min: 0, max: 1, noNaN: true });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 64 * 1024, max: 50_000_000 }),
        fc.array(fc.tuple(pauses, shares), { minLength: 1, maxLength: 60 }),
        async (rate, asks) => {
          const limiter = limiterOf(rate);
          const left: Left[] = [];
          let asked = 0;
          for (const [pauseMs, share] of asks) {
            asked += pauseMs;
            const bytes = Math.ceil(share * limiter.sliceBytes);
            left.push({ at: await limiter.leaveAt(asked, bytes), bytes });
          }
          expect(maxAboveRate(left, rate)).toBeLessThanOrEqual(rate * (0.25 + 0.002) + limiter.sliceBytes);
        },
      ),
    );
  });

  it('uses the whole rate, in slices that leave in the order of the calls', async () => {
    const limiter = limiterOf(1_000_000);
    const left: number[] = [];
    for (let slice = 0; slice < 1_000; slice += 1) left.push(await limiter.leaveAt(0, limiter.sliceBytes));
    expect(left).toEqual([...left].sort((one, other) => one - other));
    expect(left.at(-1)).toBe(Math.ceil(999 * 31.25 - 250));
  });

  it('allows a burst of a quarter of a second after a pause, however long that was', async () => {
    const limiter = limiterOf(1_000_000);
    for (const asked of [0, 375, 3_600_000]) {
      for (let n = 0; n < 5; n += 1) expect(await limiter.leaveAt(asked, 62_500)).toBe(asked);
      expect(await limiter.leaveAt(asked, 62_500)).toBe(asked + 63);
    }
  });

  it('has slices of a 32nd of a second, from 1 KiB to 64 KiB', () => {
    const rates = [1_000, 320_000, 50_000_000];
    expect(rates.map((rate) => limiterOf(rate).sliceBytes)).toEqual([1024, 10_000, 64 * 1024]);
  });

  it("ends with the signal's reason, before and during a wait", async () => {
    const aborting = new AbortController();
    const clock = { now: () => 0, sleep: (_ms: number, of?: AbortSignal) => aborted(of) };
    const limiter = createBandwidthLimiter(1_000, clock);
    await limiter.take(1_000, aborting.signal);
    const ended = limiter.take(1, aborting.signal);
    aborting.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
    await expect(limiter.take(1, aborting.signal)).rejects.toThrow('enough');
  });
});
