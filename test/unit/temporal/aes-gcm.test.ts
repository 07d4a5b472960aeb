import { createCipheriv } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decryptBytes, encryptBytes } from '../../../temporal/seal';

const KEY = new Uint8Array(32).fill(7);

describe('encrypted bytes', () => {
  test('can be read with the same key and purpose, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (plain, purpose) => {
        expect([...decryptBytes(KEY, encryptBytes(KEY, plain, purpose), purpose)]).toEqual([...plain]);
      }),
    );
  });

  test('are a nonce of 12 bytes, the text and a tag of 16 bytes, as before', () => {
    const nonce = Buffer.alloc(12, 1);
    const cipher = createCipheriv('aes-256-gcm', KEY, nonce);
    const stored = Buffer.concat([nonce, cipher.update('film'), cipher.final(), cipher.getAuthTag()]);
    expect(decryptBytes(KEY, stored).toString()).toBe('film');
  });

  test.each<[label: string, key: Uint8Array, change: (bytes: Buffer) => Buffer, purpose: string]>([
    ['with another key', new Uint8Array(32), (bytes) => bytes, 'a'],
    ['for another purpose', KEY, (bytes) => bytes, 'b'],
    ['without their last byte', KEY, (bytes) => bytes.subarray(0, -1), 'a'],
    ['as fewer bytes than nonce and tag', KEY, (bytes) => bytes.subarray(0, 27), 'a'],
  ])("can't be read %s", (_label, key, change, purpose) => {
    const bytes = encryptBytes(KEY, Buffer.from('film'), 'a');
    expect(() => decryptBytes(key, change(bytes), purpose)).toThrow();
  });
});
