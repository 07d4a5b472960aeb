import { createHash } from 'node:crypto';
import { canonicalJson } from '../../api/json';

/** The first 16 hexadecimal digits of the SHA-256 of a value. The order of its fields does not matter. */
export function valueDigest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 16);
}
