import { createCipheriv, createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

const CHUNK = 1024 * 1024;

export interface WrittenFile {
  readonly path: string;
  /** As hexadecimal text. */
  readonly sha256: string;
}

/** So many bytes, which look random and depend only on `seed`, in chunks that the next one does not change. */
export function* randomBytesOf(seed: string, bytes: number): Generator<Buffer> {
  const key = createHash('sha256').update(seed).digest();
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  const zeros = Buffer.alloc(CHUNK);
  for (let left = bytes; left > 0; left -= CHUNK)
    yield cipher.update(left >= CHUNK ? zeros : zeros.subarray(0, left));
}

/** Writes `randomBytesOf` into a file. Returns their SHA-256 in hex. */
export async function writeSourceFile(path: string, bytes: number, seed = 'source'): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'w');
  try {
    for (const chunk of randomBytesOf(seed, bytes)) {
      hash.update(chunk);
      await file.write(chunk);
    }
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

/** Writes a file of `mib` MiB, whose bytes depend on its name. */
export async function writeMibFile(folder: string, name: string, mib: number): Promise<WrittenFile> {
  const path = join(folder, name);
  return { path, sha256: await writeSourceFile(path, Math.floor(mib * CHUNK), name) };
}
