const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  // A URL keeps scheme, host and path: what follows can sign it.
  [/(https?:\/\/)[^\s/?#"'<>@]*@/gi, '$1…@'],
  [/(https?:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, '$1?…'],
  [/\b(X-Amz-[A-Za-z-]+)(=|%3D)[^&\s"'<>]*/gi, '$1$2…'],
  [/\b(bearer|basic)\s+[^\s"',;]+/gi, '$1 …'],
  [/\beyJ[\w-]+\.[\w-]*(\.[\w-]*)?/g, '…'],
  [
    /((?:access|refresh|id)?_?tokens?|secret[\w-]*|api[-_]?key|authentication-[\w-]+|signature|password|authorization)(["']?\s*[:=]\s*["']?)(?!…)[^\s"',;&}]+/gi,
    '$1$2…',
  ],
  [/\b[0-9a-f]{40,}\b/gi, '…'],
  [/[\w+=-]{64,}/g, '…'],
];

/**
 * The text without what looks like a secret: queries and credentials of URLs, `X-Amz-*` values, bearer tokens, JWTs, values named as
 * tokens, keys or signatures, long hexadecimal and opaque runs. `secrets` are removed wherever they stand, whatever they look like.
 * An ETag (32 hexadecimal digits) and ordinary ids stay.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  let safe = text;
  for (const secret of secrets) {
    if (secret.length >= 4) safe = safe.replaceAll(secret, '…');
  }
  for (const [pattern, replacement] of REPLACEMENTS) safe = safe.replace(pattern, replacement);
  return safe;
}
