import { createHash } from 'node:crypto';
import type { Storage } from './storage';

/**
 * Bytes and SHA-256 (hex) of a completed object, read in constant memory. Rejects with StorageRefusal if the object
 * does not exist.
 */
export async function describeObject(
  storage: Storage,
  keyName: string,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of storage.readObject(keyName)) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
