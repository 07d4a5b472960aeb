import { expect, test } from '@jest/globals';
import { newItemsOf } from '../../../../../nodes/MediaServiceTrigger/poll/new-items';

test('if too much is remembered, items that were given up are not checked again, whatever the clock said', () => {
  const cursor = {
    upTo: 120,
    from: 10,
    // The first reading ended by our own clock, which was ahead, and the second by the service's.
    seen: [
      { until: 100, ids: ['a', 'b', 'c'] },
      { until: 50, ids: ['d', 'e', 'f'] },
      { until: 115, ids: ['g'] },
    ],
    skewMs: 0,
  };
  const found = [{ id: 'h', at: 119, value: 'h' }];
  const taken = newItemsOf(
    cursor,
    { found, complete: true },
    { period: { from: 10, to: 130 }, now: 130, overlapMs: 1000, maxSeen: 4 },
  );
  expect(taken.cursor).toMatchObject({
    from: 100,
    seen: [
      { until: 115, ids: ['g'] },
      { until: 130, ids: ['h'] },
    ],
  });
});
