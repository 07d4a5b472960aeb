import fc from 'fast-check';
import type { JsonValue } from '../../../../../api/json';
import { parsePresignedUrls } from '../../../../../api/upload/protocol/start-session';
import type { UrlsAnswer } from '../../../../../api/upload/protocol/start-session';
import { thrownBy } from '../failure-of';

const url = (part: number | string): string => `https://s3.example.com/key/${part}?X-Amz-Signature=canary`;
const numbered = (part: number): string =>
  `https://s3.example.com/key?partNumber=${part}&X-Amz-Signature=canary`;

function parse(value: JsonValue, change: Partial<UrlsAnswer> = {}): [number, string][] {
  const answer = {
    operation: 'upload start',
    partNumbers: [1, 2, 3],
    serviceUrl: 'https://upload.example.com',
    allowPlainHttp: false,
    ...change,
  };
  return parsePresignedUrls(value, answer).map((one) => [one.partNumber, one.url]);
}

const ALL = [1, 2, 3].map((part) => [part, url(part)]);
const SESSION = { uploadId: 'u-1', mediaId: 'm-1' };
const LINK = 'https://upload.example.com/upload/u-1';

describe('pre-signed URLs', () => {
  it.each<[string, JsonValue]>([
    [
      'a deeper list',
      { data: { parts: [1, 2, 3].map((n) => ({ part_number: String(n), PresignedURL: url(n) })) } },
    ],
    ['a map of texts and objects', { urls: { '3': { presignedUrl: url(3) }, '1': url(1), '2': url(2) } }],
    ['deeper objects, last part first', [3, 2, 1].map((n) => ({ partNumber: n, put: { urls: [url(n)] } }))],
    ['objects without numbers, in order', { parts: [1, 2, 3].map((n) => ({ presignedUrl: url(n) })) }],
  ])('can be read from %s', (_shape, value) => {
    expect(parse(value)).toEqual(ALL);
  });

  it('belong to the requested parts in order if nothing shows a number', () => {
    expect(parse([url('a'), url('b')], { partNumbers: [7, 5] })).toEqual([
      [5, url('b')],
      [7, url('a')],
    ]);
  });

  it('may be fewer or more than the parts: surplus ones are dropped', () => {
    expect(parse({ ...SESSION, partNumber: 2, presignedUrl: url(2) })).toEqual([[2, url(2)]]);
    expect(parse([1, 2, 3, 4, 5].map((n) => ({ partNumber: n, presignedUrl: url(n) })))).toEqual(ALL);
    expect(parse({ ...SESSION, url: LINK, _links: { self: { href: LINK } } })).toEqual([]);
  });

  const OBJECTS = [1, 2, 3].map((n) => ({ partNumber: n, presignedUrl: url(n) }));
  it.each<[string, JsonValue]>([
    ['uploadUrl', { ...SESSION, uploadUrl: LINK, presignedUrls: OBJECTS }],
    ['_links', { _links: { self: { href: LINK } }, ...SESSION, presignedUrls: OBJECTS }],
    ['_links of each part', OBJECTS.map((one) => ({ _links: { self: { href: LINK } }, ...one }))],
    ['url of each part', OBJECTS.map((one) => ({ url: LINK, ...one }))],
    [
      'other fields',
      {
        ...{ fileUrl: url('file'), note: url('note'), metadata: { pages: [url('page')] } },
        media: { tags: { poster: url('tag'), posters: [url('tag')] }, posters: [url('poster')] },
        presignedUrls: [url(1), url(2), url(3)],
      },
    ],
  ])('are not confused with another address in %s', (_where, value) => {
    expect(parse(value)).toEqual(ALL);
  });

  it('are the same for any shape, order and number of parts', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 120 }), { minLength: 1 }), (parts) => {
        const partNumbers = Array.from({ length: 120 }, (_, index) => index + 1);
        const expected = [...parts].sort((a, b) => a - b).map((n) => [n, numbered(n)]);
        const shapes: JsonValue[] = [
          parts.map(numbered),
          { list: parts.map((n) => ({ partNumber: n, presignedUrl: numbered(n) })) },
          { deep: { map: Object.fromEntries(parts.map((n) => [String(n), numbered(n)])) } },
        ];
        for (const shape of shapes) expect(parse(shape, { partNumbers })).toEqual(expected);
      }),
    );
  });

  it.each<[string, JsonValue, string]>([
    ['two for one part', [numbered(1), numbered(1)], 'UnreadableAnswer'],
    ['one for part 0', [{ partNumber: 0, presignedUrl: url(0) }], 'UnreadableAnswer'],
    ['plain http', ['http://s3.example.com/key?partNumber=1&X-Amz-Signature=canary'], 'Configuration'],
  ])('are refused for %s, and the error shows none', (_what, value, code) => {
    const error = thrownBy(() => parse(value));
    expect(error.code).toBe(code);
    expect(JSON.stringify([error.message, error.facts])).not.toContain('canary');
  });

  it('are not looked for below a hundred levels, which would overflow the stack', () => {
    const below = (levels: number): JsonValue =>
      Array.from({ length: levels }).reduce<JsonValue>((value) => [value], url(1));
    expect([parse(below(99)), parse(below(100)), parse(below(1_000_000))]).toEqual([[[1, url(1)]], [], []]);
  });

  it('may use plain http if the service does, or if it is allowed', () => {
    const plain = 'http://127.0.0.1/key';
    expect(parse([plain], { serviceUrl: 'http://127.0.0.1:1' })).toEqual([[1, plain]]);
    expect(parse([plain], { allowPlainHttp: true })).toEqual([[1, plain]]);
  });
});
