import { createHash } from 'node:crypto';
import { canonicalJson } from '../../api/json';

/** The first 16 hexadecimal digits of the SHA-256 of a value. The order of its fields does not matter. */
function valueDigest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 16);
}

/** Digests of named values, as text for a memo: `name:digest name:digest`. */
export function digestsOf(values: Iterable<readonly [name: string, value: unknown]>): string {
  return [...values].map(([name, value]) => `${name}:${valueDigest(value)}`).join(' ');
}

/** Reads the text of `digestsOf`: digests by name. */
export function readDigests(text = ''): Map<string, string> {
  const parts = text.split(' ').filter((part) => part !== '');
  return new Map(parts.map((part) => [part.slice(0, part.indexOf(':')), part.slice(part.indexOf(':') + 1)]));
}
