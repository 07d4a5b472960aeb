import { checkETag, urlEnd } from '../../../../../api/upload/part/storage';

const END = Date.parse('2026-11-21T12:15:00Z');
const MD5 = 'ab'.repeat(16);
const OTHER = 'cd'.repeat(16);
const OWN_KEY = { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' };

it.each([
  ['X-Amz-Date and -Expires', 'X-Amz-Date=20261121T120000Z&X-Amz-Expires=900', END],
  ['the same in lower case', 'x-amz-date=20261121T120000Z&x-amz-expires=900', END],
  ['X-Goog-Date and -Expires', 'X-Goog-Date=20261121T120000Z&X-Goog-Expires=900', END],
  ['Expires in epoch seconds', 'Expires=1795000000', 1_795_000_000_000],
  ['Expires as a time', 'Expires=2026-11-21T12%3A15%3A00Z', END],
  ['nothing', 'a=b', undefined],
  ['a malformed X-Amz-Date', 'X-Amz-Date=today&X-Amz-Expires=900', undefined],
  ['an Expires that is no time', 'Expires=soon', undefined],
])('a pre-signed URL shows its expiry time by %s', (_what, query, expected) => {
  expect(urlEnd(`https://s3.example.com/key?${query}`)).toBe(expected);
});

it.each<[string, string, string, string | undefined, Record<string, string>]>([
  ['verified', 'the MD5', MD5, MD5, {}],
  ['verified', 'the MD5 in capitals', MD5.toUpperCase(), MD5, {}],
  ['mismatch', 'another MD5', OTHER, MD5, {}],
  ['mismatch', "another MD5 under storage's key", OTHER, MD5, { 'x-amz-server-side-encryption': 'AES256' }],
  ['not-verifiable', 'no MD5', 'abc-1', MD5, {}],
  ['not-verifiable', 'an MD5, and none is computed', MD5, undefined, {}],
  ['not-verifiable', 'another MD5 under KMS', OTHER, MD5, { 'x-amz-server-side-encryption': 'AWS:KMS' }],
  ['not-verifiable', "another MD5 under a customer's key", OTHER, MD5, OWN_KEY],
])('the ETag of a part is %s if it is %s', (verdict, _what, eTag, md5, headers) => {
  expect(checkETag({ eTag, md5, headers })).toBe(verdict);
});
