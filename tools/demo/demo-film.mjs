import { createCipheriv, createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const CHUNK_BYTES = 1024 * 1024;

/**
 * Writes a file with the beginning of an mp4, followed by bytes that look random but are the same on every machine.
 * @returns {Promise<string>} its SHA-256 in hex
 */
export async function writeFilm(path, bytes) {
  const noise = createCipheriv('aes-256-ctr', createHash('sha256').update('demo').digest(), Buffer.alloc(16));
  const zeros = Buffer.alloc(CHUNK_BYTES);
  const hash = createHash('sha256');
  const file = await open(path, 'w');
  try {
    const header = mp4Header(bytes);
    await file.write(header);
    hash.update(header);
    for (let left = bytes - header.length; left > 0; left -= CHUNK_BYTES) {
      const chunk = noise.update(left >= CHUNK_BYTES ? zeros : zeros.subarray(0, left));
      hash.update(chunk);
      await file.write(chunk);
    }
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

/** Two boxes: the file type (`ftyp`), and the rest as media data (`mdat`). */
function mp4Header(bytes) {
  const ftyp = Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isomiso2', 'latin1');
  const mdat = Buffer.from('\0\0\0\0mdat', 'latin1');
  mdat.writeUInt32BE(bytes - ftyp.length);
  return Buffer.concat([ftyp, mdat]);
}
