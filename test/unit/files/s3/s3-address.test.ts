import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseS3Address, s3Address } from '../../../../api/upload/sources/source';

test('an address is read back as it was written, whatever its key', () => {
  // The text is trimmed, so only a key with no space at its end survives.
  const key = fc.string({ unit: 'grapheme' }).map((text) => text.trim());
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9][a-z0-9._-]{2,20}$/), key, (bucket, name) => {
      expect(parseS3Address(s3Address({ bucket, key: name }), 'source')).toEqual({ bucket, key: name });
    }),
  );
});

test.each([
  ['a bucket without a key', 's3://films', { bucket: 'films', key: '' }],
  ['a scheme in capitals', ' S3://films/a.mp4 ', { bucket: 'films', key: 'a.mp4' }],
  ['a path', '/films/a.mp4', undefined],
  ['an address of another kind', 'https://s3/a.mp4', undefined],
])('%s is understood', (_label, text, expected) => {
  expect(parseS3Address(text, 'source')).toEqual(expected);
});

test('an address without a bucket is refused on the field that has it', () => {
  expect(() => parseS3Address('s3:///a.mp4', 'folder')).toThrow(
    expect.objectContaining({
      message: 'the address names no bucket',
      facts: expect.objectContaining({ field: 'folder' }),
    }),
  );
});
