import fc from 'fast-check';
import { errorOfAnswer } from '../../../api/answers/answer-error';
import { ConfigurationError, MediaServiceError, TransportError, ValidationError } from '../../../api/errors';
import {
  asksForAnotherTry,
  fullJitterMs,
  isRetryable,
  isTemporaryStatus,
  MAX_RETRY_AFTER_MS,
  retryAfterMs,
} from '../../../api/retry';

const ofStatus = (status: number, retryable: boolean): [string, unknown, boolean] => {
  const error = errorOfAnswer('media search', { status, headers: {}, text: '' });
  return [`status ${status}`, error, retryable];
};

const NOT_PERMANENT = { details: { permanent: false } };

test.each<[string, unknown, boolean]>([
  ...[400, 401, 403, 404, 409, 413, 501, 505].map((status) => ofStatus(status, false)),
  ...[408, 429, 500, 502, 503, 504].map((status) => ofStatus(status, true)),
  ['no connection', new TransportError('refused', { outcome: 'unsent' }), true],
  ['a lost answer', new TransportError('reset', { outcome: 'ambiguous' }), true],
  ['a certificate', new TransportError('tls', { outcome: 'unsent', details: { permanent: true } }), false],
  ['credentials whose provider is away', new MediaServiceError('Configuration', 'no', NOT_PERMANENT), true],
  ['a disk that is not available', new MediaServiceError('SourceUnavailable', 'EIO'), true],
  ['a missing file', new MediaServiceError('SourceMissing', 'ENOENT'), false],
  ['bad input', new ValidationError('size', 'too large'), false],
  ['a bad setting', new ConfigurationError('baseUrl', 'empty'), false],
  ['a refused login', new MediaServiceError('LoginRefused', 'no'), false],
  ['an unreadable answer', new MediaServiceError('UnreadableAnswer', 'html'), false],
  ['a stalled part', new MediaServiceError('PartStalled', 'stall'), true],
  ['a foreign error', new Error('boom'), false],
  ['no error at all', undefined, false],
])('an error is retryable or not: %s', (_name, error, retryable) => {
  expect(isRetryable(error)).toBe(retryable);
});

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

test('any header value gives no wait, or a wait between 0 and the cap', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.integer().map(String)), (value) => {
      const wait = retryAfterMs({ 'retry-after': value }, now);
      expect(wait === undefined || (wait >= 0 && wait <= MAX_RETRY_AFTER_MS)).toBe(true);
    }),
  );
});

test('the delay can be zero, and its upper bound doubles with every try up to its maximum', () => {
  expect(fullJitterMs(9, () => 0)).toBe(0);
  const highest = (attempt: number): number => fullJitterMs(attempt, () => 0.999999);
  expect([1, 2, 3, 6, 7, 60].map(highest)).toEqual([499, 999, 1_999, 15_999, 19_999, 19_999]);
});

test.each([
  ...[408, 425, 429].map((status) => [status, true, true] as const),
  ...[500, 503].map((status) => [status, false, true] as const),
  ...[200, 301, 400, 404, 412].map((status) => [status, false, false] as const),
])('the status %i of another server asks for another try: %s, or may pass: %s', (status, asks, passes) => {
  expect([asksForAnotherTry(status), isTemporaryStatus(status)]).toEqual([asks, passes]);
});
