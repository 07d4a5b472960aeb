import { describe, expect, it } from '@jest/globals';
import { createPartBandwidth } from '../../../../../temporal/worker/limits/part-bandwidth';
import { fakeClock } from '../../../api/fake-clock';

const KIB = 1024;
const part = { partNumber: 1, minimumThroughput: 64 * KIB };
const busy = expect.objectContaining({
  code: 'WorkerBusy',
  facts: expect.objectContaining({ outcome: 'unsent', retryAfterMs: 2_000 }),
});

describe('the bandwidth of a worker', () => {
  it('admits parts while each gets twice its minimum, and requeues the others before anything is sent', () => {
    const bandwidth = createPartBandwidth(3 * 128 * KIB, fakeClock());
    const shares = [1, 2, 3].map(() => bandwidth.enter(part));
    expect(() => bandwidth.enter(part)).toThrow(busy);
    shares[0]?.leave();
    shares[0]?.leave();
    bandwidth.enter(part);
    expect(() => bandwidth.enter(part)).toThrow(busy);
  });

  it('always admits one part, however little there is', () => {
    const bandwidth = createPartBandwidth(1_000, fakeClock());
    expect(bandwidth.enter(part).byteLimiter).toBeDefined();
  });

  it('has no rate if nobody set a limit', () => {
    const bandwidth = createPartBandwidth(undefined, fakeClock());
    expect(bandwidth.enter(part).byteLimiter).toBeUndefined();
  });
});
