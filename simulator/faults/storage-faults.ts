import type { Effect, FaultDefinition } from './fault';

export const GATEWAY_PAGE = '<html><head><title>No route</title></head><body>No route</body></html>';

const put = (
  name: string,
  when: FaultDefinition['when'],
  effect: Effect,
  description: string,
): FaultDefinition => ({ name, at: 'put', when, effect, description });

/** Faults for the PUT of a part, as data. */
export const STORAGE_FAULTS: readonly FaultDefinition[] = [
  put(
    'put-503',
    'instead',
    { does: 'refuse', status: 503, code: 'SlowDown', message: 'Please reduce your request rate.' },
    'storage answers 503 SlowDown with Retry-After: seconds=1',
  ),
  put(
    'put-429',
    'instead',
    { does: 'refuse', status: 429, code: 'TooManyRequests', message: 'Too many requests.' },
    'storage answers 429 with Retry-After: seconds=1',
  ),
  put(
    'put-500',
    'instead',
    { does: 'refuse', status: 500, code: 'InternalError', message: 'We encountered an internal error.' },
    'storage answers 500 InternalError',
  ),
  put(
    'put-403-expired',
    'instead',
    { does: 'refuse', status: 403, code: 'AccessDenied', message: 'Request has expired' },
    'storage says that the URL has expired (403 AccessDenied)',
  ),
  put(
    'put-400-ExpiredToken',
    'instead',
    { does: 'refuse', status: 400, code: 'ExpiredToken', message: 'The provided token has expired.' },
    "storage says that the URL's security token has expired (400 ExpiredToken)",
  ),
  put(
    'put-403-denied',
    'instead',
    { does: 'refuse', status: 403, code: 'AccessDenied', message: 'Access Denied' },
    'storage answers 403 AccessDenied for another reason',
  ),
  put(
    'put-403-signature',
    'instead',
    {
      does: 'refuse',
      status: 403,
      code: 'SignatureDoesNotMatch',
      message: 'The request signature we calculated does not match the signature you provided.',
    },
    'storage answers 403 SignatureDoesNotMatch',
  ),
  put(
    'put-403-ended',
    'instead',
    { does: 'refuse', status: 403, code: 'AccessDenied', message: '', clock: 'ended' },
    "the URL has ended by storage's clock: 403 AccessDenied without a message, as Ceph does",
  ),
  put(
    'put-400-ended',
    'instead',
    { does: 'refuse', status: 400, code: 'InvalidRequest', message: '', clock: 'ended' },
    "the URL has ended by storage's clock: 400, as `rclone serve s3` does",
  ),
  put(
    'put-403-early',
    'instead',
    {
      does: 'refuse',
      status: 403,
      code: 'AccessDenied',
      message: 'Request is not valid yet',
      clock: 'early',
    },
    "the URL begins 2 s after storage's clock (403 AccessDenied)",
  ),
  put(
    'put-404-NoSuchUpload',
    'instead',
    { does: 'refuse', status: 404, code: 'NoSuchUpload', message: 'The specified upload does not exist.' },
    'storage no longer knows the multipart upload',
  ),
  put(
    'put-413-early',
    'instead',
    { does: 'refuse', status: 413, code: 'EntityTooLarge', message: 'Too large.', closes: true },
    'storage answers 413 EntityTooLarge, reads nothing of the body and closes the connection',
  ),
  put(
    'put-404-html',
    'instead',
    { does: 'text', status: 404, contentType: 'text/html', text: GATEWAY_PAGE },
    "answers 404 with a gateway's HTML page",
  ),
  put(
    'put-timeout',
    'instead',
    { does: 'silence' },
    'storage takes no byte, never answers and keeps the connection open',
  ),
  put(
    'put-lost',
    'after',
    { does: 'cut' },
    'the part is stored, then the connection is destroyed without an answer',
  ),
  put(
    'put-silent',
    'after',
    { does: 'silence' },
    'the part is stored and never answered; the connection stays open',
  ),
  put(
    'put-wrong-etag',
    'after',
    { does: 'etag', kind: 'wrong' },
    "the part is stored, the answer's ETag is another MD5",
  ),
  put(
    'put-kms-etag',
    'after',
    { does: 'etag', kind: 'kms' },
    'the part is stored, its ETag is not an MD5 and x-amz-server-side-encryption says aws:kms',
  ),
  put(
    'put-reset',
    'inside',
    { does: 'reset' },
    'the connection is destroyed after bytes=(half of the part); nothing is stored',
  ),
  put(
    'put-stall',
    'inside',
    { does: 'stall' },
    'storage stops reading after bytes=(half of the part) and never stores it',
  ),
  put(
    'put-trickle',
    'inside',
    { does: 'trickle' },
    'storage reads rate=16384 bytes a second after bytes=(half of the part)',
  ),
  put(
    'put-slow-line',
    'inside',
    { does: 'line' },
    'storage reads rate=50000 bytes a second of all parts together',
  ),
  put(
    'hold',
    'inside',
    { does: 'hold' },
    'storage stops reading after bytes=(half of the part) until it is released',
  ),
  put('redirect-put', 'instead', { does: 'redirect' }, 'storage answers 307 to another origin'),
];
