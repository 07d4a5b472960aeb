import { describe, expect, it } from '@jest/globals';
import { isRetryable } from '../../../../../api/retry';
import { storageErrorOf } from '../../../../../api/upload/parts/storage-error';
import type { StorageAnswer } from '../../../../../api/upload/parts/storage-error';

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

  it('is final if a URL fixes a checksum that the part does not have', () => {
    const error = errorOf({ status: 400, code: 'BadDigest' });
    expect([error.code, isRetryable(error)]).toEqual(['StorageRefused', false]);
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
