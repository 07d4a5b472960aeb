import { expect, test } from '@jest/globals';
import { fullJitterMs } from '../../../../api/retry/backoff';

test('the upper bound of the delay doubles with every try up to its maximum', () => {
  const highest = (attempt: number): number =>
    fullJitterMs(attempt, { baseMs: 100, maxMs: 1000, random: () => 0.999999 });
  expect([1, 2, 3, 4, 5, 60].map(highest)).toEqual([99, 199, 399, 799, 999, 999]);
});

test('the delay can be zero', () => {
  expect(fullJitterMs(9, { random: () => 0 })).toBe(0);
});
