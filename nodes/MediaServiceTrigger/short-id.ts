import { createHash } from 'node:crypto';

/** 72 bits: among 100,000 remembered ids a new one is mistaken for a known one once in 10^16. */
const LENGTH = 12;

/** The identity as it is remembered. */
export function shortId(identity: string): string {
  return createHash('sha256').update(identity).digest('base64url').slice(0, LENGTH);
}
