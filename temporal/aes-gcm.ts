import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A random nonce, the encrypted bytes and their tag in one buffer. The key has 32 bytes. `purpose` is authenticated,
 * but not stored.
 */
export function encryptBytes(key: Uint8Array, plain: Uint8Array, purpose = ''): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(purpose));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Decrypts the output of `encryptBytes`. Throws if it was cut short, changed, or made with another key or for another
 * purpose.
 */
export function decryptBytes(key: Uint8Array, bytes: Uint8Array, purpose = ''): Buffer {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new RangeError('The encrypted bytes are cut short.');
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(end));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()]);
}
