import { createCipheriv, createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const CHUNK = 1024 * 1024;

/** Writes a file of exactly `bytes` bytes that look random and depend only on `seed`. Returns their SHA-256 in hex. */
export async function writeSourceFile(path: string, bytes: number, seed = 'source'): Promise<string> {
  const key = createHash('sha256').update(seed).digest();
  const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  const zeros = Buffer.alloc(CHUNK);
  const hash = createHash('sha256');
  const file = await open(path, 'w');
  try {
    for (let left = bytes; left > 0; left -= CHUNK) {
      const chunk = stream.update(left >= CHUNK ? zeros : zeros.subarray(0, left));
      hash.update(chunk);
      await file.write(chunk);
    }
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}
