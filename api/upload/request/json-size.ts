/** Returns the size of a value as UTF-8 JSON, in bytes. Pure, because Temporal's sandbox has no Buffer. */
export function jsonBytes(value: unknown): number {
  return utf8Bytes(JSON.stringify(value));
}

const NOT_ASCII = /[^\0-\x7f]/;

/** Returns the size of a text in UTF-8, in bytes. */
function utf8Bytes(text: string): number {
  // Nearly all texts, and many times faster.
  if (!NOT_ASCII.test(text)) return text.length;
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else bytes += code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
