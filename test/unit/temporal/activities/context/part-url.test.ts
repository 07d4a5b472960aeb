import { describe, expect, it } from '@jest/globals';
import { openedUrl, sealedUrl } from '../../../../../temporal/activities/context/part-url';
import { sealKeyOf } from '../../../../../temporal/seal';

const key = sealKeyOf('secret');
const url = { partNumber: 3, url: 'https://storage.example/3?X-Amz-Signature=abc', expiresAt: 5 };
const sealed = sealedUrl(key, 'u-1', url);

describe('a part’s URL', () => {
  it('keeps its number and end through the seal', () => {
    expect(sealed).toMatchObject({ partNumber: 3, expiresAt: 5 });
    expect(openedUrl(key, 'u-1', sealed)).toEqual(url);
  });

  it.each([
    ['the secret was rotated', sealKeyOf('next secret'), 'u-1', sealed],
    ['it is of another session', key, 'u-2', sealed],
    ['it is of another part', key, 'u-1', { ...sealed, partNumber: 4 }],
    ['there is none', key, 'u-1', undefined],
  ])('counts as expired where %s', (_name, holder, uploadId, value) => {
    expect(openedUrl(holder, uploadId, value)).toBeUndefined();
  });
});
