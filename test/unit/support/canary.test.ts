import * as fc from 'fast-check';
import { secretsIn } from '../../support/canary';
import { readableTexts } from '../../support/recorded-history';

describe('secretsIn', () => {
  it('finds a secret in base64 at any position of the encoded text, in both alphabets', () => {
    const secret = 'X-Amz-Signature>>>???';
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.constantFrom('base64' as const, 'base64url' as const),
        (a, b, alphabet) => {
          const text = Buffer.from(`${a}${secret}${b}`).toString(alphabet);
          expect(secretsIn(text, [secret])).toEqual([secret]);
        },
      ),
    );
  });

  it('finds a URL-encoded secret, and one in a payload', () => {
    const secret = 'a/b?c';
    expect(secretsIn('x=a%2Fb%3Fc', [secret])).toEqual([secret]);
    const json = JSON.stringify({ data: Buffer.from('{"url":"a/b?c"}').toString('base64') });
    expect(secretsIn(readableTexts(json), [secret])).toEqual([secret]);
    expect(secretsIn('nothing', [secret])).toEqual([]);
  });
});
