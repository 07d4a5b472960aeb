import { describe, expect, it } from '@jest/globals';
import { createPartRate } from '../../../../../api/upload/parts/part-rate';

describe('the rate of parts', () => {
  it('is unknown until a part was large enough to measure, and weighs the newest most', () => {
    const rate = createPartRate();
    rate.note({ bytes: 1, ms: 20 });
    expect(rate.bytesPerSecond()).toBeUndefined();
    rate.note({ bytes: 10_000_000, ms: 1_000 });
    expect(rate.bytesPerSecond()).toBe(10_000_000);
    rate.note({ bytes: 20_000_000, ms: 1_000 });
    expect(rate.bytesPerSecond()).toBe(13_000_000);
  });
});
