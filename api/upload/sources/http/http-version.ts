/** What tells versions of an http source apart, and how large it is. */
export interface HttpVersion {
  /** Of the whole source. */
  readonly bytes: number | undefined;
  /** With its quotes; only a strong one. */
  readonly eTag: string | undefined;
  readonly lastModified: string | undefined;
}

/** Reads a 206 (or 416) by its Content-Range, a 200 by its Content-Length. */
export function versionOf(status: number, headers: Readonly<Record<string, string>>): HttpVersion {
  const eTag = headers['etag'];
  const lastModified = headers['last-modified'];
  return {
    bytes: status === 200 ? whole(headers['content-length']) : whole(contentRange(headers)?.total),
    eTag: eTag !== undefined && eTag.startsWith('"') ? eTag : undefined,
    lastModified,
  };
}

/** `bytes 0-0/1234`: the first byte and the total; undefined where the header is missing or of another form. */
export function contentRange(
  headers: Readonly<Record<string, string>>,
): { readonly first: number | undefined; readonly total: string } | undefined {
  const match = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/i.exec(headers['content-range']?.trim() ?? '');
  if (!match) return undefined;
  return { first: whole(match[1]), total: match[2] ?? '*' };
}

/** The version as text; undefined where nothing tells whether the source changed. A strong ETag decides alone. */
export function httpFingerprint({ bytes, eTag, lastModified }: HttpVersion): string | undefined {
  if (bytes === undefined) return undefined;
  if (eTag !== undefined) return `http;bytes=${bytes};etag=${eTag}`;
  return lastModified === undefined ? undefined : `http;bytes=${bytes};modified=${lastModified}`;
}

/** What tells its content from other content, see `sourceIdentity`: at least its size, if that is known. */
export function httpIdentity(version: HttpVersion): string | undefined {
  return (
    httpFingerprint(version) ?? (version.bytes === undefined ? undefined : `http;bytes=${version.bytes}`)
  );
}

/** The ETag that a fingerprint was made of, with its quotes. */
export function eTagIn(fingerprint: string): string | undefined {
  const at = fingerprint.indexOf(';etag="');
  const eTag = fingerprint.slice(at + ';etag='.length);
  return at === -1 || eTag.length < 2 || !eTag.endsWith('"') ? undefined : eTag;
}

function whole(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
