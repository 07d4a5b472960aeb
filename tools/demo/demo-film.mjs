import { createHash, randomFillSync } from 'node:crypto';
import { open } from 'node:fs/promises';

const CHUNK_BYTES = 1_000_000;

/**
 * Writes a file of whole megabytes with the beginning of an mp4, followed by random bytes.
 * @returns {Promise<string>} its SHA-256 in hex
 */
export async function writeFilm(path, bytes) {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const file = await open(path, 'w');
  try {
    for (let written = 0; written < bytes; written += CHUNK_BYTES) {
      randomFillSync(chunk);
      // The box of the file type, at the beginning of an mp4.
      if (written === 0) chunk.write('\0\0\0\x18ftypisom\0\0\x02\0isomiso2', 'latin1');
      await file.write(chunk);
      hash.update(chunk);
    }
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}
