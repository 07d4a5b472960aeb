import type { FaultRow, RowOfOne } from './fault';

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
const PUT_FAULTS: readonly RowOfOne[] = [
  ...REFUSALS.map(([name, status, code, message]): RowOfOne => {
    const retry = status === 429 || status === 503 ? ' with Retry-After: seconds=1' : '';
    const effect = { does: 'refuse', status, code, message } as const;
    return [name, 'instead', effect, `storage answers ${status} ${code}${retry}`];
  }),
  [
    'put-403-ended',
    'instead',
    { does: 'refuse', status: 403, code: 'AccessDenied', message: '', clock: 'ended' },
    'the URL has ended by its clock: 403 AccessDenied, as Ceph does',
  ],
  [
    'put-400-ended',
    'instead',
    { does: 'refuse', status: 400, code: 'InvalidRequest', message: '', clock: 'ended' },
    "the URL has ended by storage's clock: 400, as `rclone serve s3` does",
  ],
  [
    'put-403-early',
    'instead',
    { does: 'refuse', status: 403, code: 'AccessDenied', message: 'Not valid yet', clock: 'early' },
    'the URL begins 2 s after its clock: 403 AccessDenied',
  ],
  [
    'put-413-early',
    'instead',
    { does: 'refuse', status: 413, code: 'EntityTooLarge', message: 'Too large.', closes: true },
    'answers 413, reads nothing of the body and closes the connection',
  ],
  [
    'put-404-html',
    'instead',
    { does: 'text', status: 404, contentType: 'text/html', text: GATEWAY_PAGE },
    "answers 404 with a gateway's HTML page",
  ],
  ['put-timeout', 'instead', 'silence', 'storage takes no byte and never answers'],
  ['put-lost', 'after', 'cut', 'the part is stored, then the connection is destroyed'],
  ['put-silent', 'after', 'silence', 'the part is stored and never answered'],
  ['put-wrong-etag', 'after', 'etag-wrong', 'the part is stored, its ETag is another MD5'],
  ['put-kms-etag', 'after', 'etag-kms', 'the part is stored, its ETag is not an MD5, as with aws:kms'],
  ['put-reset', 'inside', 'reset', 'the connection is destroyed after bytes=(half of the part)'],
  ['put-stall', 'inside', 'stall', 'storage stops reading after bytes=(half of the part) for ever'],
  ['put-trickle', 'inside', 'trickle', 'storage reads rate=16384 bytes a second after bytes='],
  ['put-slow-line', 'inside', 'line', 'storage reads rate=50000 bytes a second of all parts'],
  ['hold', 'inside', 'hold', 'storage stops reading after bytes= until it is released'],
  ['put-redirect', 'instead', 'redirect', 'storage answers 307 to another origin'],
];

export const STORAGE_FAULTS: readonly FaultRow[] = PUT_FAULTS.map((row) => ['put', ...row]);
