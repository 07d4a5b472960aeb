import { randomFillSync } from 'node:crypto';
import { open } from 'node:fs/promises';

const CHUNK = 8 * 1024 * 1024;

/**
 * Writes `bytes` random bytes to one file, and the same bytes as one file per part, because `curl -T` sends whole
 * files. Everything stays in the page cache.
 */
export async function makeFile(name, { bytes, partBytes }) {
  const whole = await open(name, 'w');
  const parts = [];
  const chunk = Buffer.allocUnsafe(CHUNK);
  for (let offset = 0; offset < bytes; offset += partBytes) {
    const partName = `${name}.part${parts.length + 1}`;
    const part = await open(partName, 'w');
    const end = Math.min(bytes, offset + partBytes);
    for (let at = offset; at < end; at += CHUNK) {
      randomFillSync(chunk);
      const length = Math.min(CHUNK, end - at);
      await whole.write(chunk, 0, length);
      await part.write(chunk, 0, length);
    }
    await part.close();
    parts.push(partName);
  }
  await whole.close();
  return { file: name, partFiles: parts };
}
