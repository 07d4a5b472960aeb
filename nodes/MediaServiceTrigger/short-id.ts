import { createHash } from 'node:crypto';

/** 72 bits: with 100,000 remembered ids, a new one looks like a known one once in 10^16. */
const LENGTH = 12;

/** The short form of an id, for storing. */
export function shortId(identity: string): string {
  return createHash('sha256').update(identity).digest('base64url').slice(0, LENGTH);
}
