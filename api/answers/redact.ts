const NAMED = String.raw`((?:access|refresh|id)?_?tokens?|secret[\w-]*|api[-_]?key|authentication-[\w-]+|signature|password|authorization)`;

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  // A URL keeps scheme, host and path: what follows can sign it. The same holds for one that is encoded into another's query.
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'<>@]*@/gi, '$1…@'],
  [/([a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, '$1?…'],
  [/(%3A%2F%2F)(?:(?!%2F|%3F)[^\s"'<>&])*%40/gi, '$1…%40'],
  [/(%3A%2F%2F(?:(?!%3F|%23)[^\s"'<>&])*)(%3F|%23)[^\s"'<>&]*/gi, '$1$2…'],
  [/(X-Amz-[A-Za-z-]+=)[^&\s"'<>]*/gi, '$1…'],
  [/(X-Amz-[A-Za-z-]+%(?:25)*3D)(?:(?!%(?:25)*26)[^&\s"'<>])*/gi, '$1…'],
  [/\b(bearer|basic)\s+[^\s"',;]+/gi, '$1 …'],
  [/\beyJ[\w-]+\.[\w-]*(\.[\w-]*)?/g, '…'],
  [new RegExp(String.raw`${NAMED}(\s+["'])(?!…)[^\s"',;&}]+`, 'gi'), '$1$2…'],
  [new RegExp(String.raw`${NAMED}(\\?["']?\s*[:=]\s*\\?["']?)(?!…)[^\s"'\\,;&}]+`, 'gi'), '$1$2…'],
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
