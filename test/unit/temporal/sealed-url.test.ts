import { openedUrl, sealedUrl } from '../../../temporal/sealed-url';
import { sealKeysOf } from '../../../temporal/seal';

const keys = sealKeysOf('secret');
const url = { partNumber: 3, url: 'https://storage.example/3?X-Amz-Signature=abc', expiresAt: 5 };
const sealed = sealedUrl(keys, 'u-1', url);

describe('the URL of a part', () => {
  it('keeps its number and expiry time when it is sealed', () => {
    expect(sealed).toMatchObject({ partNumber: 3, expiresAt: 5 });
    expect(openedUrl(keys, 'u-1', sealed)).toEqual({ url });
  });

  it.each([
    ['the secret was changed', sealKeysOf('next secret'), 'u-1', sealed],
    ['it is of another session', keys, 'u-2', sealed],
    ['it is of another part', keys, 'u-1', { ...sealed, partNumber: 4 }],
  ])('counts as expired if %s, and the error says why', (_name, holder, uploadId, value) => {
    expect(openedUrl(holder, uploadId, value)).toEqual({
      unopened: expect.objectContaining({
        message: expect.stringContaining("A sealed value can't be opened"),
      }),
    });
  });

  it('is requested if there is none', () => {
    expect(openedUrl(keys, 'u-1', undefined)).toEqual({});
  });
});
