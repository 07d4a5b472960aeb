import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';

const CHUNK_BYTES = 1_000_000;

/** Writes a file of whole megabytes with the beginning of an mp4, then random bytes. Returns its SHA-256 in hex. */
export async function writeFilm(path, bytes) {
  const hash = createHash('sha256');
  function* film() {
    for (let written = 0; written < bytes; written += CHUNK_BYTES) {
      const chunk = randomBytes(CHUNK_BYTES);
      // The box of the file type.
      if (written === 0) chunk.write('\0\0\0\x18ftypisom\0\0\x02\0isomiso2', 'latin1');
      hash.update(chunk);
      yield chunk;
    }
  }
  await writeFile(path, film());
  return hash.digest('hex');
}
