/** What distinguishes versions of an http source, and its size. */
export interface HttpVersion {
  /** Size of the whole source. */
  readonly bytes: number | undefined;
  /** Includes its quotes; only a strong one. */
  readonly eTag: string | undefined;
  readonly lastModified: string | undefined;
}

/** Reads the size from Content-Range, which some servers send with 200, or from a 200's Content-Length. */
export function versionOf(status: number, headers: Readonly<Record<string, string>>): HttpVersion {
  const eTag = headers['etag'];
  const lastModified = headers['last-modified'];
  return {
    bytes: whole(contentRange(headers)?.total ?? (status === 200 ? headers['content-length'] : undefined)),
    eTag: eTag !== undefined && eTag.startsWith('"') ? eTag : undefined,
    lastModified,
  };
}

/** Returns where an answer's bytes begin in the source. Undefined: unknown. */
export function firstOf(status: number, headers: Readonly<Record<string, string>>): number | undefined {
  const range = contentRange(headers);
  return range === undefined && status === 200 ? 0 : range?.first;
}

/** Returns the first byte and the total of `bytes 0-0/1234`. Undefined if the header is missing or has another form. */
function contentRange(
  headers: Readonly<Record<string, string>>,
): { readonly first: number | undefined; readonly total: string } | undefined {
  const match = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/i.exec(headers['content-range']?.trim() ?? '');
  if (!match) return undefined;
  return { first: whole(match[1]), total: match[2] ?? '*' };
}

/**
 * Returns the version as text. Undefined if nothing shows whether the source changed. If there is a strong ETag,
 * Last-Modified does not count.
 */
export function httpFingerprint({ bytes, eTag, lastModified }: HttpVersion): string | undefined {
  if (bytes === undefined) return undefined;
  if (eTag !== undefined) return `http;bytes=${bytes};etag=${eTag}`;
  return lastModified === undefined ? undefined : `http;bytes=${bytes};modified=${lastModified}`;
}

/** Returns what distinguishes its content from other content, see `sourceIdentity`: at least its size, if known. */
export function httpIdentity(version: HttpVersion): string | undefined {
  return (
    httpFingerprint(version) ?? (version.bytes === undefined ? undefined : `http;bytes=${version.bytes}`)
  );
}

function whole(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
