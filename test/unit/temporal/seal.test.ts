import { createCipheriv } from 'node:crypto';
import * as fc from 'fast-check';
import { isRetryable } from '../../../api/retry';
import {
  decryptBytes,
  partUrlPurpose,
  seal,
  sealKeysOf,
  sourceUrlPurpose,
  unseal,
} from '../../../temporal/seal';
import { thrownBy } from '../api/upload/failure-of';

const keys = sealKeysOf('a secret key');
const { id: keyId } = keys.current;

describe('seal', () => {
  it('returns any text for the same key and purpose, and shows none of it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 8 }), fc.string(), (text, purpose) => {
        const sealed = seal(keys, text, purpose);
        expect(unseal(keys, sealed, purpose)).toBe(text);
        expect(JSON.stringify(sealed)).not.toContain(text);
      }),
    );
  });

  it('makes a pre-signed URL far shorter, since histories hold it twice', () => {
    const url =
      'https://media-bucket.s3.eu-central-1.amazonaws.com/uploads/0f8fad5b-d9cb-469f-a165-70867728950e.mp4?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
      '&X-Amz-Content-Sha256=UNSIGNED-PAYLOAD&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20261123%2Feu-central-1%2Fs3%2Faws4_request' +
      '&X-Amz-Date=20261123T101112Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host&partNumber=7&x-id=UploadPart' +
      '&X-Amz-Signature=733255ef022bec3f2a8701cd61d4b371f3f28c9f193a1f02279211d48d5193d7';
    const sealed = seal(keys, url, partUrlPurpose('u-1', 7));
    expect(unseal(keys, sealed, partUrlPurpose('u-1', 7))).toBe(url);
    expect(sealed.sealed.length).toBeLessThan(url.length * 0.7);
  });

  it('does not open after any single bit was changed', () => {
    const sealed = seal(keys, 'https://storage.example/part?X-Amz-Signature=abc', 'part 1');
    const bytes = Buffer.from(sealed.sealed, 'base64url');
    fc.assert(
      fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
        const altered = Buffer.from(bytes);
        altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const tampered = { keyId: sealed.keyId, sealed: altered.toString('base64url') };
        expect(thrownBy(() => unseal(keys, tampered, 'part 1')).code).toBe('Internal');
      }),
    );
  });

  it('is bound to its purpose, so that no part can use the URL of another', () => {
    const sealed = seal(keys, 'https://storage.example/1', partUrlPurpose('u-1', 1));
    for (const purpose of [partUrlPurpose('u-1', 2), partUrlPurpose('u-2', 1), sourceUrlPurpose('u-1 1')]) {
      expect(thrownBy(() => unseal(keys, sealed, purpose)).message).toContain('another purpose');
    }
  });

  it('with an unknown key names all key IDs and no secret, and is retried, since another worker may have it', () => {
    const others = sealKeysOf('the next secret key', ['the one before']);
    const error = thrownBy(() => unseal(others, seal(keys, 'text', 'p'), 'p'));
    expect([error.code, isRetryable(error)]).toEqual(['Configuration', true]);
    for (const id of [keyId, ...others.all.keys()]) expect(error.message).toContain(id);
    expect(error.message).not.toContain('secret key');
    expect(error.facts.hint).toContain('{previousSecretKeys}');
  });

  it('opens with every key that the account had, and is made only with the current one', () => {
    const secrets = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(secrets, fc.string(), ([current = '', ...previous], text) => {
        const ring = sealKeysOf(current, previous);
        for (const secret of [current, ...previous]) {
          expect(unseal(ring, seal(sealKeysOf(secret), text, 'p'), 'p')).toBe(text);
        }
        expect(unseal(sealKeysOf(current), seal(ring, text, 'p'), 'p')).toBe(text);
      }),
      { numRuns: 30 },
    );
  });

  it('of the same text twice gives two different seals', () => {
    expect(seal(keys, 'text', 'p').sealed).not.toBe(seal(keys, 'text', 'p').sealed);
  });

  it.each([
    ['a plain text', 'https://storage.example'],
    ['nothing', undefined],
    ['an object without content', { keyId: 'x' }],
    ['a seal cut short', { keyId, sealed: 'AAAA' }],
  ])('refuses %s for good', (_name, value) => {
    const error = thrownBy(() => unseal(keys, value, 'p'));
    expect([error.code, isRetryable(error)]).toEqual(['Internal', false]);
  });
});

it('sealKeysOf returns the same key and ID for the same secret everywhere, and others for another secret', () => {
  expect(sealKeysOf('a secret key')).toEqual(keys);
  expect(keyId).toMatch(/^[0-9a-f]{8}$/);
  expect(keys.current.key).toHaveLength(32);
  expect(sealKeysOf('b').current.id).not.toBe(keyId);
});

it('encrypted bytes are a nonce of 12 bytes, the text and a tag of 16 bytes', () => {
  const [key, nonce] = [Buffer.alloc(32, 7), Buffer.alloc(12, 1)];
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const stored = Buffer.concat([nonce, cipher.update('film'), cipher.final(), cipher.getAuthTag()]);
  expect(decryptBytes(key, stored).toString()).toBe('film');
});
