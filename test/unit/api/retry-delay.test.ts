import { expect, test } from '@jest/globals';
import { fullJitterMs } from '../../../api/retry';

test('the upper bound of the delay doubles with every try up to its maximum', () => {
  const highest = (attempt: number): number => fullJitterMs(attempt, () => 0.999999);
  expect([1, 2, 3, 6, 7, 60].map(highest)).toEqual([499, 999, 1_999, 15_999, 19_999, 19_999]);
});

test('the delay can be zero', () => {
  expect(fullJitterMs(9, () => 0)).toBe(0);
});
