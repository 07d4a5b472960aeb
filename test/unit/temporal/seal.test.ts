import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { MediaServiceError } from '../../../api/errors';
import { isSealed, partUrlPurpose, seal, sealKeyOf, sourceUrlPurpose, unseal } from '../../../temporal/seal';

const key = sealKeyOf('a secret key');

function errorOf(run: () => unknown): MediaServiceError {
  try {
    run();
  } catch (error) {
    if (error instanceof MediaServiceError) return error;
  }
  throw new Error('No MediaServiceError was thrown.');
}

describe('seal', () => {
  it('gives back any text to the same key and purpose, and shows none of it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 8 }), fc.string(), (text, purpose) => {
        const sealed = seal(key, text, purpose);
        expect(unseal(key, sealed, purpose)).toBe(text);
        expect(JSON.stringify(sealed)).not.toContain(text);
      }),
    );
  });

  it('opens for nobody once any single bit was changed', () => {
    const sealed = seal(key, 'https://storage.example/part?X-Amz-Signature=abc', 'part 1');
    const bytes = Buffer.from(sealed.sealed, 'base64url');
    fc.assert(
      fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
        const altered = Buffer.from(bytes);
        altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const tampered = { keyId: sealed.keyId, sealed: altered.toString('base64url') };
        expect(errorOf(() => unseal(key, tampered, 'part 1')).code).toBe('Internal');
      }),
    );
  });

  it('is bound to its purpose, so that no part can use the URL of another', () => {
    const sealed = seal(key, 'https://storage.example/1', partUrlPurpose('u-1', 1));
    for (const purpose of [partUrlPurpose('u-1', 2), partUrlPurpose('u-2', 1), sourceUrlPurpose('u-1 1')]) {
      expect(errorOf(() => unseal(key, sealed, purpose)).message).toContain('another purpose');
    }
  });

  it('made with a rotated secret names both key ids and neither secret', () => {
    const other = sealKeyOf('the next secret key');
    const error = errorOf(() => unseal(other, seal(key, 'text', 'p'), 'p'));
    expect(error.code).toBe('Configuration');
    expect(error.message).toContain(key.id);
    expect(error.message).toContain(other.id);
    expect(error.message).not.toContain('secret key');
  });

  it('twice of the same text gives two different seals', () => {
    expect(seal(key, 'text', 'p').sealed).not.toBe(seal(key, 'text', 'p').sealed);
  });

  it.each([
    ['a plain text', 'https://storage.example'],
    ['nothing', undefined],
    ['an object without content', { keyId: 'x' }],
    ['a seal cut short', { keyId: key.id, sealed: 'AAAA' }],
  ])('refuses %s', (_name, value) => {
    expect(errorOf(() => unseal(key, value, 'p')).code).toBe('Internal');
  });
});

describe('sealKeyOf', () => {
  it('gives the same key and id for the same secret everywhere, and others for another secret', () => {
    expect(sealKeyOf('a secret key')).toEqual(key);
    expect(key.id).toMatch(/^[0-9a-f]{8}$/);
    expect(key.key).toHaveLength(32);
    expect(sealKeyOf('b').id).not.toBe(key.id);
  });
});

describe('isSealed', () => {
  it('tells a seal from anything else', () => {
    expect(isSealed(seal(key, 'x', 'p'))).toBe(true);
    expect([null, 'x', {}, { keyId: 1, sealed: 'x' }].filter(isSealed)).toEqual([]);
  });
});
