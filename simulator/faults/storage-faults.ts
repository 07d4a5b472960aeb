import type { FaultRow } from './fault';

export const GATEWAY_PAGE = '<html><head><title>No route</title></head><body>No route</body></html>';

const REFUSALS: ReadonlyArray<readonly [name: string, status: number, code: string, message: string]> = [
  ['put-503', 503, 'SlowDown', 'Please reduce your request rate.'],
  ['put-429', 429, 'TooManyRequests', 'Too many requests.'],
  ['put-500', 500, 'InternalError', 'We encountered an internal error.'],
  ['put-403-expired', 403, 'AccessDenied', 'Request has expired'],
  ['put-400-ExpiredToken', 400, 'ExpiredToken', 'The provided token has expired.'],
  ['put-403-denied', 403, 'AccessDenied', 'Access Denied'],
  ['put-403-signature', 403, 'SignatureDoesNotMatch', 'The signature does not match.'],
  ['put-404-NoSuchUpload', 404, 'NoSuchUpload', 'The specified upload does not exist.'],
];

/** Faults for the PUT of a part, as data. */
export const STORAGE_FAULTS: readonly FaultRow[] = [
  ...REFUSALS.map(([name, status, code, message]): FaultRow => {
    const retry = status === 429 || status === 503 ? ' with Retry-After: seconds=1' : '';
    const effect = { does: 'refuse', status, code, message } as const;
    return ['put', name, 'instead', effect, `storage answers ${status} ${code}${retry}`];
  }),
  [
    'put',
    'put-403-ended',
    'instead',
    { does: 'refuse', status: 403, code: 'AccessDenied', message: '', atEnd: true },
    "the URL has ended by storage's clock: 403 AccessDenied without a message, as Ceph does",
  ],
  [
    'put',
    'put-400-ended',
    'instead',
    { does: 'refuse', status: 400, code: 'InvalidRequest', message: '', atEnd: true },
    "the URL has ended by storage's clock: 400, as `rclone serve s3` does",
  ],
  [
    'put',
    'put-413-early',
    'instead',
    { does: 'refuse', status: 413, code: 'EntityTooLarge', message: 'Too large.', closes: true },
    'storage answers 413 EntityTooLarge, reads nothing of the body and closes the connection',
  ],
  [
    'put',
    'put-404-html',
    'instead',
    { does: 'text', status: 404, contentType: 'text/html', text: GATEWAY_PAGE },
    "answers 404 with a gateway's HTML page",
  ],
  ['put', 'put-timeout', 'instead', { does: 'silence' }, 'storage takes no byte and never answers'],
  ['put', 'put-lost', 'after', { does: 'cut' }, 'the part is stored, then the connection is destroyed'],
  ['put', 'put-silent', 'after', { does: 'silence' }, 'the part is stored and never answered'],
  [
    'put',
    'put-wrong-etag',
    'after',
    { does: 'etag', kind: 'wrong' },
    'the part is stored, its ETag is another MD5',
  ],
  [
    'put',
    'put-kms-etag',
    'after',
    { does: 'etag', kind: 'kms' },
    'the part is stored, its ETag is not an MD5 and x-amz-server-side-encryption says aws:kms',
  ],
  [
    'put',
    'put-reset',
    'inside',
    { does: 'reset' },
    'the connection is destroyed after bytes=(half of the part)',
  ],
  [
    'put',
    'put-stall',
    'inside',
    { does: 'stall' },
    'storage stops reading after bytes=(half of the part) for ever',
  ],
  [
    'put',
    'put-trickle',
    'inside',
    { does: 'trickle' },
    'storage reads rate=16384 bytes a second after bytes=',
  ],
  [
    'put',
    'put-slow-line',
    'inside',
    { does: 'line' },
    'storage reads rate=50000 bytes a second of all parts',
  ],
  ['put', 'hold', 'inside', { does: 'hold' }, 'storage stops reading after bytes= until it is released'],
  ['put', 'put-redirect', 'instead', { does: 'redirect' }, 'storage answers 307 to another origin'],
];
