import { describe, expect, it } from '@jest/globals';
import { createPartBandwidth } from '../../../../../temporal/activities/context/part-bandwidth';
import type { BandwidthNeed } from '../../../../../temporal/activities/context/part-bandwidth';
import { fakeClock } from '../../../api/fake-clock';

const KIB = 1024;
const part = (more: Partial<BandwidthNeed> = {}): BandwidthNeed => ({
  partNumber: 1,
  minimumThroughput: 64 * KIB,
  ...more,
});
const from = { accountId: 'acme', queue: 'q' };
const alone = (): Promise<number> => Promise.resolve(1);
const { signal } = new AbortController();

describe('the bandwidth of a worker', () => {
  it('admits parts while each gets twice its minimum, and requeues the others before anything is sent', async () => {
    const bandwidth = createPartBandwidth({
      bytesPerSecond: 3 * 128 * KIB,
      clock: fakeClock(),
      workersOf: alone,
    });
    const shares = await Promise.all([1, 2, 3].map(() => bandwidth.enter(part(), from)));
    await expect(bandwidth.enter(part(), from)).rejects.toMatchObject({
      code: 'WorkerBusy',
      facts: { outcome: 'unsent', retryAfterMs: 2_000 },
    });
    shares[0]?.leave();
    shares[0]?.leave();
    await bandwidth.enter(part(), from);
    await expect(bandwidth.enter(part(), from)).rejects.toMatchObject({ code: 'WorkerBusy' });
  });

  it('always admits one part, however little there is', async () => {
    const bandwidth = createPartBandwidth({ bytesPerSecond: 1_000, clock: fakeClock(), workersOf: alone });
    expect((await bandwidth.enter(part(), from)).byteLimiter).toBeDefined();
  });

  it('has no rate if nobody set a limit', async () => {
    const bandwidth = createPartBandwidth({ clock: fakeClock(), workersOf: alone });
    expect((await bandwidth.enter(part(), from)).byteLimiter).toBeUndefined();
  });

  it('also holds for a part that takes long, and its batch is not forgotten meanwhile', async () => {
    const clock = fakeClock();
    const bandwidth = createPartBandwidth({ clock, workersOf: alone });
    const need = part({ bandwidth: { group: 'batch-1', bytesPerSecond: 3 * 128 * KIB } });
    const other = part({ bandwidth: { group: 'batch-2', bytesPerSecond: 128 * KIB } });
    const shares = [await bandwidth.enter(need, from), await bandwidth.enter(need, from)];
    clock.advance(3_600_000);
    (await bandwidth.enter(other, from)).leave();
    shares.push(await bandwidth.enter(need, from));
    await expect(bandwidth.enter(need, from)).rejects.toMatchObject({ code: 'WorkerBusy' });
    for (const share of shares) share.leave();
    await bandwidth.enter(need, from);
  });

  it("divides a batch's bandwidth by the workers of its queue, for all its parts together", async () => {
    const clock = fakeClock();
    let workers = 4;
    const bandwidth = createPartBandwidth({ clock, workersOf: () => Promise.resolve(workers) });
    const group = { bandwidth: { group: 'batch-1', bytesPerSecond: 4_000_000 } };
    const shares = await Promise.all([1, 2].map(() => bandwidth.enter(part(group), from)));
    const secondsFor = async (bytes: number): Promise<number> => {
      const since = clock.now();
      for (let rest = bytes; rest > 0; rest -= 10_000) {
        await shares[rest % 20_000 === 0 ? 0 : 1]?.byteLimiter?.take(10_000, signal);
      }
      return (clock.now() - since) / 1000;
    };
    expect(await secondsFor(10_000_000)).toBeCloseTo(10, 0);
    workers = 2;
    await bandwidth.enter(part(group), from);
    expect(await secondsFor(10_000_000)).toBeCloseTo(5, 0);
  });
});
