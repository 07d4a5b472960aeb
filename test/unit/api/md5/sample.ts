import { createHash, randomBytes } from 'node:crypto';

const POOL = randomBytes(8 * 1024 * 1024);

/** Returns the same bytes for the same arguments within a run. */
export function sample(bytes: number, number: number): Buffer {
  const from = (number * 7_919) % (POOL.byteLength - bytes);
  return POOL.subarray(from, from + bytes);
}

export function md5Of(content: Uint8Array): string {
  return createHash('md5').update(content).digest('hex');
}
