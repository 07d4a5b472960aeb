const MAX_CHARACTERS = 1_000_000;

/**
 * Each pattern takes linear time, because it can't start again inside what it repeats: an answer of megabytes must not
 * block the process. The text before a secret is kept, so it does not matter how early a pattern starts in it.
 */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  // A URL keeps scheme, host and path; the rest may hold its signature. The same holds for a URL encoded into another
  // URL's query.
  [/([a-z0-9+.-]:\/\/)[^\s/?#"'<>@]*@/gi, '$1…@'],
  [/([a-z0-9+.-]:\/\/(?:(?![a-z0-9+.-]:\/\/)[^\s?#"'<>])*)[?#][^\s"'<>]*/gi, '$1?…'],
  [/(%3A%2F%2F)(?:(?!%2F|%3F)[^\s"'<>&])*%40/gi, '$1…%40'],
  [/(%3A%2F%2F(?:(?!%3A%2F%2F|%3F|%23)[^\s"'<>&])*)(%3F|%23)[^\s"'<>&]*/gi, '$1$2…'],
  [/(X-(?:Amz|Goog)-(?:(?!X-(?:Amz|Goog)-)[A-Za-z-])*=)[^&\s"'<>]*/gi, '$1…'],
  [/(X-(?:Amz|Goog)-(?:(?!X-(?:Amz|Goog)-)[A-Za-z-])*%(?:25)*3D)(?:(?!%(?:25)*26)[^&\s"'<>])*/gi, '$1…'],
  [/\b(bearer|basic)\s+[^\s"',;]+/gi, '$1 …'],
  [/(?<![\w-])((?:(?!\beyJ)[\w-])*)\beyJ[\w-]+\.[\w-]*(?:\.[\w-]*)?/g, '$1…'],
  // First as in prose, then as in JSON, a query or a setting.
  [
    /((?:access|refresh|id)?_?tokens?|secret(?:(?!secret)[\w-])*|api[-_]?key|authentication-(?:(?!authentication-)[\w-])*|signature|password|authorization)(\s+["'])(?!…)[^\s"',;&}]+/gi,
    '$1$2…',
  ],
  [
    /((?:access|refresh|id)?_?tokens?|secret(?:(?!secret)[\w-])*|api[-_]?key|authentication-(?:(?!authentication-)[\w-])*|signature|password|authorization)(\\?["']?\s*[:=]\s*\\?["']?)(?!…)[^\s"'\\,;&}]+/gi,
    '$1$2…',
  ],
  [/\b[0-9a-f]{40,}\b/gi, '…'],
  [/[\w+=-]{64,}/g, '…'],
];

/**
 * Removes everything that looks like a secret: queries and credentials of URLs, `X-Amz-*` and `X-Goog-*` values, bearer tokens, JWTs,
 * values named as tokens, keys or signatures, long hexadecimal and opaque runs. It also removes `secrets` everywhere,
 * whatever they look like. An ETag (32 hexadecimal digits) and ordinary ids stay. A text longer than a million
 * characters is cut: a few million would overflow the stack of a regular expression.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  let safe = text;
  for (const secret of secrets) {
    if (secret.length >= 4) safe = safe.replaceAll(secret, '…');
  }
  safe = cut(safe);
  for (const [pattern, replacement] of REPLACEMENTS) safe = safe.replace(pattern, replacement);
  return safe;
}

/** Cuts between words if it can: half of a secret may not look like one. */
function cut(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const begin = text.slice(0, MAX_CHARACTERS);
  const end = begin.lastIndexOf(' ');
  return `${end === -1 ? begin : begin.slice(0, end + 1)}…`;
}
