import { expect, test } from '@jest/globals';
import { takeReading } from '../../../../../nodes/MediaServiceTrigger/window/take-reading';

test('where too much is remembered, what was given up once is not looked at again, whatever clock said until when', () => {
  const cursor = {
    upTo: 120,
    from: 10,
    // The first reading ended by our own clock, which was fast, the second by the service's.
    seen: [
      { until: 100, ids: ['a', 'b', 'c'] },
      { until: 50, ids: ['d', 'e', 'f'] },
      { until: 115, ids: ['g'] },
    ],
    skewMs: 0,
  };
  const found = [{ id: 'h', at: 119, value: 'h' }];
  const taken = takeReading(
    cursor,
    { found, complete: true },
    { window: { from: 10, to: 130 }, now: 130, overlapMs: 1000, mostSeen: 4 },
  );
  expect(taken.cursor).toMatchObject({
    from: 100,
    seen: [
      { until: 115, ids: ['g'] },
      { until: 130, ids: ['h'] },
    ],
  });
});
