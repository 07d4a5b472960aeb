import { describe, expect, it } from '@jest/globals';
import { isRetryable } from '../../../../../api/retry';
import { storageErrorOf } from '../../../../../api/upload/part/storage';
import type { StorageAnswer } from '../../../../../api/upload/part/storage';

const BEGIN = 'Fri, 27 Nov 2026 10:00:00 GMT';
const IN_TIME = 'Fri, 27 Nov 2026 10:30:00 GMT';
const END = 'Fri, 27 Nov 2026 11:00:00 GMT';
const AMAZON =
  'https://s3.example.com/k?X-Amz-Date=20261127T100000Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host';
const GOOGLE = AMAZON.replaceAll('X-Amz', 'X-Goog');

interface Case extends Partial<Omit<StorageAnswer, 'text' | 'headers'>> {
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

  it('waits for a URL that begins in the future', () => {
    const early = errorOf({ date: new Date(Date.parse(BEGIN) - 90_000).toUTCString() });
    expect(early).toMatchObject({ code: 'StorageRefused', facts: { retryAfterMs: 90_000 } });
    expect(isRetryable(early)).toBe(true);
    const far = errorOf({ date: new Date(Date.parse(BEGIN) - 3_600_000).toUTCString(), url: GOOGLE });
    expect(far.facts.retryAfterMs).toBe(300_000);
  });

  it.each([
    ['SlowDown', 'StorageBusy', true],
    ['SignatureDoesNotMatch', 'SignatureMismatch', false],
    ['BadDigest', 'PartCorrupted', true],
    ['InvalidAccessKeyId', 'StorageRefused', false],
  ])('%s of a URL that begins in the future is %s all the same', (storageCode, code, retryable) => {
    const error = errorOf({ code: storageCode, date: 'Fri, 27 Nov 2026 09:58:30 GMT' });
    expect([error.code, error.facts.retryAfterMs]).toEqual([code, undefined]);
    expect(error.facts.hint ?? '').not.toContain('begins in the future');
    expect(isRetryable(error)).toBe(retryable);
  });

  it.each([
    ['no code', ''],
    ['RequestTimeTooSkewed', 'RequestTimeTooSkewed'],
  ])('waits for it also after %s', (_what, code) => {
    expect(errorOf({ code, date: 'Fri, 27 Nov 2026 09:58:30 GMT' }).facts.retryAfterMs).toBe(90_000);
  });

  it.each<[string, Case, string]>([
    ['x-amz-checksum-crc32', { status: 400, code: 'BadDigest' }, '&x-amz-checksum-crc32=AAAAAA%3D%3D'],
    [
      'x-amz-content-sha256',
      { status: 400, code: 'XAmzContentSHA256Mismatch' },
      `&X-Amz-Content-Sha256=${'e3b0c442'.repeat(8)}`,
    ],
    ['x-amz-acl', {}, '%3Bx-amz-acl%3Bcontent-type'],
  ])('names %s, which no part can meet, and is final', (name, input, more) => {
    const error = errorOf({ ...input, url: `${AMAZON}${more}` });
    expect(error).toMatchObject({ code: 'StorageRefused', facts: { details: { demands: name } } });
    expect(error.facts.hint).toContain(`covers ${name}, which`);
    expect(isRetryable(error)).toBe(false);
  });

  const ACL = '%3Bx-amz-acl';
  const CRC32 = '&x-amz-checksum-crc32=AAAAAA%3D%3D';
  it.each([
    ['InvalidAccessKeyId', 403, ACL + CRC32, 'StorageRefused', undefined],
    ['SignatureDoesNotMatch', 403, CRC32, 'SignatureMismatch', undefined],
    ['SignatureDoesNotMatch', 403, ACL + CRC32, 'SignatureMismatch', 'x-amz-acl'],
    ['BadDigest', 400, ACL, 'PartCorrupted', undefined],
    ['BadDigest', 400, ACL + CRC32, 'StorageRefused', 'x-amz-checksum-crc32'],
    ['', 400, ACL + CRC32, 'StorageRefused', 'x-amz-checksum-crc32, x-amz-acl'],
  ])('%j (%d) for a URL that demands %s is %s, because of %s', (storageCode, status, more, code, demands) => {
    const error = errorOf({ code: storageCode, status, url: `${AMAZON}${more}` });
    expect([error.code, error.facts.details?.['demands']]).toEqual([code, demands]);
    expect(error.facts.hint?.includes('signature covers') ?? false).toBe(demands !== undefined);
  });

  it('takes a wrong checksum for damage on the way if the URL fixes none', () => {
    expect(isRetryable(errorOf({ status: 400, code: 'BadDigest' }))).toBe(true);
  });

  it('says of a signature that does not match what else than Content-Type may be the cause', () => {
    const { hint } = errorOf({ code: 'SignatureDoesNotMatch' }).facts;
    for (const cause of ['{partContentType}', 'proxy', 'clock', 'secret']) expect(hint).toContain(cause);
  });

  it("is retried if it is a gateway's page", () => {
    const page = errorOf({ status: 404, headers: { 'content-type': 'text/html' } } as Case);
    expect(isRetryable(page)).toBe(true);
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
