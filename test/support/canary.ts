/** The forms of a secret in a text: unchanged, URL-encoded, in JSON, and in base64 at any offset. */
export function disguisesOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].flatMap((before) => {
    const shifted = Buffer.concat([Buffer.alloc(before), bytes]);
    // The first and last characters depend on the neighbouring bytes.
    const inner = shifted
      .toString('base64')
      .replace(/=+$/, '')
      .slice(before === 0 ? 0 : before + 1, -1);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const quoted = JSON.stringify(secret).slice(1, -1);
  return [
    ...new Set([
      secret,
      encodeURIComponent(secret),
      encodeURIComponent(encodeURIComponent(secret)),
      quoted,
      ...base64,
    ]),
  ];
}

/** A JSON web token: the simulator's access tokens. */
const TOKEN = /eyJ[\w-]+\.[\w-]+/;

/** The secrets and tokens in each text, by where it is. Texts without any are left out. */
export function leaksIn(
  texts: Iterable<readonly [where: string, text: string]>,
  secrets: readonly string[],
): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [where, text] of texts) {
    const leaked = [...secretsIn(text, secrets), ...(TOKEN.exec(text) ?? [])];
    if (leaked.length > 0) found[where] = leaked;
  }
  return found;
}

/** The secrets that occur in a text, in any form. */
export function secretsIn(text: string, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => disguisesOf(secret).some((disguise) => text.includes(disguise)));
}
