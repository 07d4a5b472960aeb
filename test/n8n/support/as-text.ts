/** Returns the value, which must be a text. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new Error(`Expected a text, got ${typeof value}.`);
}
