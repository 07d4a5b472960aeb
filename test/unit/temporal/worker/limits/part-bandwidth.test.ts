import { describe, expect, it } from '@jest/globals';
import { createPartBandwidth } from '../../../../../temporal/worker/limits/part-bandwidth';
import type { BandwidthNeed } from '../../../../../temporal/worker/limits/part-bandwidth';
import { fakeClock } from '../../../api/fake-clock';

const KIB = 1024;
const part = (more: Partial<BandwidthNeed> = {}): BandwidthNeed => ({
  partNumber: 1,
  minimumThroughput: 64 * KIB,
  ...more,
});
const busy = expect.objectContaining({
  code: 'WorkerBusy',
  facts: expect.objectContaining({ outcome: 'unsent', retryAfterMs: 2_000 }),
});
const { signal } = new AbortController();

describe('the bandwidth of a worker', () => {
  it('admits parts while each gets twice its minimum, and requeues the others before anything is sent', () => {
    const bandwidth = createPartBandwidth({ bytesPerSecond: 3 * 128 * KIB, clock: fakeClock() });
    const shares = [1, 2, 3].map(() => bandwidth.enter(part()));
    expect(() => bandwidth.enter(part())).toThrow(busy);
    shares[0]?.leave();
    shares[0]?.leave();
    bandwidth.enter(part());
    expect(() => bandwidth.enter(part())).toThrow(busy);
  });

  it('always admits one part, however little there is', () => {
    const bandwidth = createPartBandwidth({ bytesPerSecond: 1_000, clock: fakeClock() });
    expect(bandwidth.enter(part()).byteLimiter).toBeDefined();
  });

  it('has no rate if nobody set a limit', () => {
    const bandwidth = createPartBandwidth({ clock: fakeClock() });
    expect(bandwidth.enter(part()).byteLimiter).toBeUndefined();
  });

  it('also holds for a part that takes long, and its batch is not forgotten meanwhile', () => {
    const clock = fakeClock();
    const bandwidth = createPartBandwidth({ clock });
    const need = part({ bandwidth: { group: 'batch-1', bytesPerSecond: 3 * 128 * KIB } });
    const other = part({ bandwidth: { group: 'batch-2', bytesPerSecond: 128 * KIB } });
    const shares = [bandwidth.enter(need), bandwidth.enter(need)];
    clock.advance(3_600_000);
    bandwidth.enter(other).leave();
    shares.push(bandwidth.enter(need));
    expect(() => bandwidth.enter(need)).toThrow(busy);
    for (const share of shares) share.leave();
    bandwidth.enter(need);
  });

  it('is that of a batch for all its parts together', async () => {
    const clock = fakeClock();
    const bandwidth = createPartBandwidth({ clock });
    const group = { bandwidth: { group: 'batch-1', bytesPerSecond: 1_000_000 } };
    const shares = [1, 2].map(() => bandwidth.enter(part(group)));
    const since = clock.now();
    for (let rest = 10_000_000; rest > 0; rest -= 10_000) {
      await shares[rest % 20_000 === 0 ? 0 : 1]?.byteLimiter?.take(10_000, signal);
    }
    expect((clock.now() - since) / 1000).toBeCloseTo(10, 0);
  });
});
