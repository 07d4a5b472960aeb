import { expect, test } from '@jest/globals';
import { errorOfAnswer } from '../../../api/answers/answer-error';
import { ConfigurationError, MediaServiceError, TransportError, ValidationError } from '../../../api/errors';
import { isRetryable } from '../../../api/retry';

const ofStatus = (status: number): MediaServiceError =>
  errorOfAnswer('media search', { status, headers: {}, text: '' });

test.each<[string, unknown, boolean]>([
  ...[400, 401, 403, 404, 409, 413, 501, 505].map((status): [string, unknown, boolean] => [
    `status ${status}`,
    ofStatus(status),
    false,
  ]),
  ...[408, 429, 500, 502, 503, 504].map((status): [string, unknown, boolean] => [
    `status ${status}`,
    ofStatus(status),
    true,
  ]),
  ['no connection', new TransportError('refused', { outcome: 'unsent' }), true],
  ['a lost answer', new TransportError('reset', { outcome: 'ambiguous' }), true],
  ['a certificate', new TransportError('tls', { outcome: 'unsent', details: { permanent: true } }), false],
  [
    'credentials whose provider did not answer',
    new MediaServiceError('Configuration', 'no credentials', { details: { permanent: false } }),
    true,
  ],
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
