import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_RETRY_AFTER_MS, retryAfterMs } from '../../../api/retry';

const now = Date.parse('2026-11-01T12:00:00Z');

test.each([
  ['seconds', '7', 7000],
  ['a fraction', '0.5', 500],
  ['zero', '0', 0],
  ['an HTTP date', 'Sun, 01 Nov 2026 12:00:30 GMT', 30_000],
  ['a date in the past', 'Sun, 01 Nov 2026 11:00:00 GMT', 0],
  ['more than the cap', '86400', MAX_RETRY_AFTER_MS],
  ['a date beyond the cap', 'Mon, 02 Nov 2026 12:00:00 GMT', MAX_RETRY_AFTER_MS],
  ['blanks around', ' 3 ', 3000],
  ['a negative number', '-5', undefined],
  ['words', 'later', undefined],
  ['nothing', '', undefined],
])('Retry-After as %s: %j', (_name, value, wait) => {
  expect(retryAfterMs({ 'retry-after': value }, now)).toBe(wait);
});

test('without the header there is no wait', () => {
  expect(retryAfterMs({}, now)).toBeUndefined();
});

test('any header value gives no wait, or a wait between 0 and the cap', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.integer().map(String)), (value) => {
      const wait = retryAfterMs({ 'retry-after': value }, now);
      expect(wait === undefined || (wait >= 0 && wait <= MAX_RETRY_AFTER_MS)).toBe(true);
    }),
  );
});
