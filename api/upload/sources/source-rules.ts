import { fileNameOfUrl, lastSegment, s3Address } from './source';
import type { HttpSource, PathSource, S3Source, SourceDescriptor, PinnedSource } from './source';

// What is known of a source without reading it. Pure, since workflows use it.

/** Returns what lists and logs show of a source: never a folder, a query or a secret. */
export function labelOfSource(source: SourceDescriptor): string {
  if (source.kind === 'http') return source.label;
  const name = fileNameOfSource(source) ?? '';
  return source.kind === 's3' ? s3Address({ ...source, key: name }) : name;
}

/** Returns the name of a source, as far as the source itself shows it. */
export function fileNameOfSource(source: SourceDescriptor): string | undefined {
  switch (source.kind) {
    case 'path':
      return source.fileName ?? source.path.split(/[/\\]/).at(-1);
    case 'http':
      return source.fileName ?? fileNameOfUrl(String(source.url));
    case 's3':
      return lastSegment(source.key);
  }
}

/**
 * Returns the name whose extension decides the file type. Undefined if only the reader of the source can decide, because
 * it sees a MIME type.
 */
export function typedFileName(source: SourceDescriptor): string | undefined {
  const fileName = fileNameOfSource(source);
  return source.kind !== 'path' && fileName?.includes('.') !== true ? undefined : fileName;
}

/** Returns JSON that is equal if two requests mean the same source, for digests. It holds no query and no secret. */
export function meaningOfSource(source: SourceDescriptor): readonly unknown[] {
  const { kind } = source;
  // A file has another path or key each time it is sent.
  if (isOurs(source)) return ['path', fileNameOfSource(source), source.bytes];
  switch (kind) {
    case 'path':
      return [kind, source.path, source.host];
    case 'http': {
      // A sealed address shows only its label.
      const url = urlOfSource(source);
      const address = url === undefined ? source.label : url.origin + url.pathname;
      return [kind, address, source.fileName, source.bytes];
    }
    case 's3':
      // Whoever pays, it is the same object.
      return [kind, source.bucket, source.key, source.versionId];
  }
}

/** A source, or a file or folder of ours. */
type Located = Pick<PathSource, 'kind' | 'host'> | Pick<HttpSource | S3Source, 'kind'>;

/** Returns the only machine that can reach it. Undefined: every machine can. */
export function hostOfSource(at: Located): string | undefined {
  return at.kind === 'path' ? at.host : undefined;
}

/** Returns the path of a source that is a file on a disk. */
export function pathOfSource(source: SourceDescriptor): string | undefined {
  return source.kind === 'path' ? source.path : undefined;
}

/** Returns the address of a source that is read over a network. Undefined if it is sealed, or if it names no host. */
export function urlOfSource(source: SourceDescriptor): URL | undefined {
  if (source.kind !== 'http' || typeof source.url !== 'string') return undefined;
  return URL.canParse(source.url) ? new URL(source.url) : undefined;
}

/** Returns whether the source is deleted when the upload has ended. */
export function isOurs(source: SourceDescriptor): source is (PathSource | S3Source) & { deleteAfter: true } {
  return source.kind !== 'http' && source.deleteAfter === true;
}

/**
 * Returns a text that distinguishes the content of a source from other content under the same name: a digest if the
 * starter made one; size and time of change of a file; size and ETag (or time of change) of an object or URL. A copy in
 * the spool folder has its URL's identity. Undefined: nothing distinguishes it.
 */
export function sourceIdentity(pinned: PinnedSource): string | undefined {
  const { source, fingerprint } = pinned;
  const known = digestIdentity(source);
  if (known !== undefined) return known;
  if (source.kind !== 'path') return fingerprint || undefined;
  return source.deleteAfter === true ? source.identity : /^path;bytes=\d+;mtime=-?\d+/.exec(fingerprint)?.[0];
}

/** The same before anything is read: then only a digest is known. */
export function digestIdentity(source: SourceDescriptor): string | undefined {
  return 'digest' in source ? `sha256=${source.digest}` : undefined;
}

/**
 * Returns whether two identities show different content. An identity that is unknown, or made in another way, shows
 * nothing.
 */
export function identitiesDiffer(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const [a, b] = [readIdentity(one), readIdentity(other)];
  if (a.bytes !== undefined && b.bytes !== undefined && a.bytes !== b.bytes) return true;
  if (a.kind !== b.kind || a.kind === 'bytes' || one === other) return false;
  return a.kind !== 'mtime' || !sameTime(BigInt(valueIn(one, 'mtime')), BigInt(valueIn(other, 'mtime')));
}

/** Returns whether two identities show the same content. The size alone does not. */
export function identitiesMatch(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && one === other && readIdentity(one).kind !== 'bytes';
}

/** Returns what an identity says, in a form for people. */
export function identityText(identity: string): string {
  const { bytes, kind } = readIdentity(identity);
  if (kind === 'bytes') return `${bytes ?? '?'} bytes`;
  const value = valueIn(identity, kind);
  const shown = kind === 'mtime' ? new Date(Number(BigInt(value) / 1_000_000n)).toISOString() : value;
  const name = { mtime: 'changed', etag: 'ETag', modified: 'changed', sha256: 'SHA-256' }[kind] ?? kind;
  return bytes === undefined ? `${name} ${shown}` : `${bytes} bytes, ${name} ${shown}`;
}

function valueIn(identity: string, kind: string): string {
  return identity.slice(identity.indexOf(`${kind}=`) + kind.length + 1);
}

/** `kind`: the field that distinguishes versions. `bytes`: only the size does. */
function readIdentity(identity: string): { readonly bytes?: string; readonly kind: string } {
  const [, bytes, kind = 'bytes'] = /^\w+;bytes=(\d+)(?:;(\w+)=|$)/.exec(identity) ?? [];
  return bytes === undefined ? { kind: 'sha256' } : { bytes, kind };
}

/** Precision of times in file systems and network shares, ns; the coarsest first. */
const GRANULARITIES: readonly bigint[] = [1_000_000_000n, 1_000_000n, 1_000n, 100n, 1n];

/**
 * Returns whether two times (ns since 1970) from two machines may be the same time of the same file. A share may cut
 * off digits that the other one keeps, so it compares at the coarser precision of the two.
 */
export function sameTime(one: bigint, other: bigint): boolean {
  const coarser = GRANULARITIES.find((step) => one % step === 0n || other % step === 0n) ?? 1n;
  return floored(one, coarser) === floored(other, coarser);
}

function floored(time: bigint, step: bigint): bigint {
  const rest = time % step;
  return time - (rest < 0n ? rest + step : rest);
}
