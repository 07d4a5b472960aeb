import { describe, expect, it } from '@jest/globals';
import { signsContentType, urlEnd } from '../../../../../api/upload/part/storage';

const at = (text: string): number => Date.parse(text);

describe('a pre-signed URL', () => {
  it.each([
    ['X-Amz-Date and -Expires', 'X-Amz-Date=20261121T120000Z&X-Amz-Expires=900', at('2026-11-21T12:15:00Z')],
    ['the same in lower case', 'x-amz-date=20261121T120000Z&x-amz-expires=900', at('2026-11-21T12:15:00Z')],
    [
      'X-Goog-Date and -Expires',
      'X-Goog-Date=20261121T120000Z&X-Goog-Expires=900',
      at('2026-11-21T12:15:00Z'),
    ],
    ['Expires in epoch seconds', 'Expires=1795000000', 1_795_000_000_000],
    ['Expires as a time', 'Expires=2026-11-21T12%3A00%3A00Z', at('2026-11-21T12:00:00Z')],
    ['nothing', 'a=b', undefined],
    ['a malformed X-Amz-Date', 'X-Amz-Date=today&X-Amz-Expires=900', undefined],
  ])('shows its expiry time by %s', (_what, query, expected) => {
    expect(urlEnd(`https://s3.example.com/key?${query}`)).toBe(expected);
  });

  it('shows whether it signs the Content-Type', () => {
    const url = 'https://s3.example.com/k?X-Amz-Expires=60&X-Amz-SignedHeaders=content-type%3Bhost';
    expect(signsContentType(url)).toBe(true);
    expect(signsContentType(url.replaceAll('X-Amz', 'X-Goog'))).toBe(true);
    expect(signsContentType('https://s3.example.com/k?X-Amz-SignedHeaders=host')).toBe(false);
  });
});
