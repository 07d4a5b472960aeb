import { describe, expect, it } from '@jest/globals';
import { createPartRate } from '../../../../../temporal/activities/context/part-rate';

describe('createPartRate', () => {
  it('knows no rate before the first part, then follows the parts without jumping', () => {
    const rate = createPartRate();
    expect(rate.bytesPerSecond()).toBeUndefined();
    rate.note({ bytes: 1_000, ms: 1_000 });
    expect(rate.bytesPerSecond()).toBe(1_000);
    rate.note({ bytes: 2_000, ms: 1_000 });
    expect(rate.bytesPerSecond()).toBeCloseTo(1_300);
  });

  it('takes a part of no measurable time as one of a millisecond', () => {
    const rate = createPartRate();
    rate.note({ bytes: 5, ms: 0 });
    expect(rate.bytesPerSecond()).toBe(5_000);
  });
});
