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

/** The secrets that occur in a text, in any form. */
export function secretsIn(text: string, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => disguisesOf(secret).some((disguise) => text.includes(disguise)));
}
