import { isRetryable } from '../../../../../api/retry';
import { storageErrorOf } from '../../../../../api/upload/part/storage';
import type { StorageAnswer } from '../../../../../api/upload/part/storage';

const EARLY = 'Fri, 27 Nov 2026 09:58:30 GMT';
const IN_TIME = 'Fri, 27 Nov 2026 10:30:00 GMT';
const END = 'Fri, 27 Nov 2026 11:00:00 GMT';
const AMAZON =
  'https://s3.example.com/k?X-Amz-Date=20261127T100000Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host';
const GOOGLE = AMAZON.replaceAll('X-Amz', 'X-Goog');

interface Case extends Partial<Omit<StorageAnswer, 'text'>> {
  readonly date?: string;
  readonly code?: string;
  readonly message?: string;
}

const errorOf = ({ date = IN_TIME, code = 'AccessDenied', message = '', ...more }: Case) =>
  storageErrorOf({
    partNumber: 7,
    url: AMAZON,
    status: 403,
    headers: date === '' ? {} : { date },
    text: `<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
    now: Date.parse(IN_TIME),
    ...more,
  });

describe("storage's refusal of a URL", () => {
  it.each<[string, Case]>([
    ["a 403 at the URL's end by storage's clock, without a word", { date: END }],
    ['the same 400', { date: END, status: 400, code: 'InvalidRequest' }],
    ["the same for Google's parameters", { date: END, url: GOOGLE }],
    ['the end by our clock, if storage does not say its own', { date: '', now: Date.parse(END) }],
    ['a 403 that says so before the end', { message: 'Request has expired' }],
  ])('is an expired URL: %s', (_what, input) => {
    expect(errorOf(input).code).toBe('UrlExpired');
  });

  it.each<[string, Case]>([
    ['a 403 within its time', {}],
    ["a 403 after our clock's end, but before storage's", { now: Date.parse(END) }],
    ['a 404 after its end', { status: 404, date: END, code: 'NoSuchBucket' }],
    ['a URL without a time', { url: 'https://s3.example.com/k', date: END }],
  ])('is another refusal: %s', (_what, input) => {
    expect(errorOf(input).code).toBe('StorageRefused');
  });

  it('waits for a URL that begins in the future, but not for long', () => {
    for (const code of ['AccessDenied', '', 'RequestTimeTooSkewed']) {
      const early = errorOf({ code, date: EARLY });
      expect(early).toMatchObject({ code: 'StorageRefused', facts: { retryAfterMs: 90_000 } });
      expect(isRetryable(early)).toBe(true);
    }
    const far = errorOf({ date: 'Fri, 27 Nov 2026 09:00:00 GMT', url: GOOGLE });
    expect(far.facts.retryAfterMs).toBe(300_000);
  });

  it.each([
    ['SlowDown', 'StorageBusy', true],
    ['SignatureDoesNotMatch', 'SignatureMismatch', false],
    ['BadDigest', 'PartCorrupted', true],
    ['InvalidAccessKeyId', 'StorageRefused', false],
  ])('%s of a URL that begins in the future is %s all the same', (storageCode, code, retryable) => {
    const error = errorOf({ code: storageCode, date: EARLY });
    expect([error.code, error.facts.retryAfterMs]).toEqual([code, undefined]);
    expect(error.facts.hint ?? '').not.toContain('begins in the future');
    expect(isRetryable(error)).toBe(retryable);
  });

  const ACL = '%3Bx-amz-acl%3Bcontent-type%3Bcontent-length';
  const CRC32 = '&x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-checksum-type=FULL_OBJECT';
  const SHA256 = `&X-Amz-Content-Sha256=${'e3b0c442'.repeat(8)}`;
  it.each([
    ['AccessDenied', 403, ACL, 'StorageRefused', 'x-amz-acl'],
    ['BadDigest', 400, CRC32, 'StorageRefused', 'x-amz-checksum-crc32'],
    ['XAmzContentSHA256Mismatch', 400, SHA256, 'StorageRefused', 'x-amz-content-sha256'],
    ['BadDigest', 400, ACL + CRC32, 'StorageRefused', 'x-amz-checksum-crc32'],
    ['', 400, ACL + CRC32, 'StorageRefused', 'x-amz-checksum-crc32, x-amz-acl'],
    ['SignatureDoesNotMatch', 403, ACL + CRC32, 'SignatureMismatch', 'x-amz-acl'],
    ['SignatureDoesNotMatch', 403, CRC32, 'SignatureMismatch', undefined],
    ['InvalidAccessKeyId', 403, ACL + CRC32, 'StorageRefused', undefined],
    ['BadDigest', 400, ACL, 'PartCorrupted', undefined],
  ])('%j (%d) for a URL that demands %s is %s, because of %s', (storageCode, status, more, code, demands) => {
    const error = errorOf({ code: storageCode, status, url: `${AMAZON}${more}` });
    expect([error.code, error.facts.details?.['demands']]).toEqual([code, demands]);
    const hint =
      demands === undefined ? expect.not.stringContaining('covers') : expect.stringContaining(demands);
    expect(error.facts.hint ?? '').toEqual(hint);
    // A part that was damaged on its way is sent again; what no part can meet is final.
    expect(isRetryable(error)).toBe(code === 'PartCorrupted');
  });

  it.each([
    ['UrlExpired', 400, 'ExpiredToken', 'refused'],
    ['UrlExpired', 400, 'TokenRefreshRequired', 'refused'],
    ['SessionGone', 404, 'NoSuchUpload', 'refused'],
    ['StorageBusy', 429, '', 'refused'],
    ['StorageBusy', 503, '', 'ambiguous'],
    ['StorageBusy', 400, 'SlowDown', 'refused'],
    ['Transport', 408, '', 'ambiguous'],
    ['Transport', 400, 'RequestTimeout', 'refused'],
    ['ServiceFailed', 500, 'InternalError', 'ambiguous'],
    ['StorageRefused', 404, 'Expired', 'refused'],
  ])('is %s if it is %i %s, and %s', (code, status, storageCode, outcome) => {
    const message = status === 404 ? 'The bucket has expired' : '';
    const error = errorOf({ status, code: storageCode, message });
    expect([error.code, error.outcome]).toEqual([code, outcome]);
  });

  it("is retried if it is a gateway's page", () => {
    const page = errorOf({ status: 404, headers: { 'content-type': 'text/html' } });
    expect(isRetryable(page)).toBe(true);
  });

  it('quotes no signature and at most 300 characters of what storage says', () => {
    const { serviceMessage } = errorOf({ message: `X-Amz-Signature=canary ${'no '.repeat(200)}` }).facts;
    expect(serviceMessage).toHaveLength(300);
    expect(serviceMessage).not.toContain('canary');
  });

  it.each([
    ['a &amp; b &lt;c&gt; &quot;d&quot; &apos;e&apos;', 'a & b <c> "d" \'e\''],
    ['&#233;&#xE9;&#x1F600;', 'éé😀'],
    ['1&#10;2&#27;3', '1 2 3'],
    ['&amp;lt; &unknown; &#99999999;', '&lt; &unknown; &#99999999;'],
  ])('decodes the entities of %j', (message, shown) => {
    expect(errorOf({ message }).facts.serviceMessage).toBe(shown);
  });
});
