import { ValidationError } from '../../errors';
import { given } from '../../json';
import { fileNameOfUrl, labelOf, lastSegment, MIN_AGE, parseS3Address } from './source';
import type { HttpSource, PathSource, S3Source, SourceDescriptor } from './source';

// What is known of a source without reading it. Pure, since workflows use it.

const KINDS: readonly unknown[] = ['path', 'http', 's3'] satisfies SourceDescriptor['kind'][];

/** Throws a `ValidationError` that names the wrong field. */
export function checkSource(source: SourceDescriptor): void {
  const kind: unknown = source.kind;
  if (!KINDS.includes(kind)) {
    const known = KINDS.join(', ');
    throw new ValidationError('source', `the kind of source "${String(kind)}" is not known: ${known}`);
  }
  switch (source.kind) {
    case 'path':
      return checkPath(source);
    case 'http':
      return checkAddress(source);
    case 's3':
      return checkObject(source);
  }
}

function checkPath({ path, minAgeMs = 0 }: PathSource): void {
  if (typeof path !== 'string' || path.trim() === '') {
    throw new ValidationError('source.path', 'the path of the file is empty');
  }
  if (path.includes('\0')) {
    throw new ValidationError('source.path', 'the path of the file holds a NUL character');
  }
  if (!Number.isSafeInteger(minAgeMs) || minAgeMs < 0) {
    throw new ValidationError(MIN_AGE, 'the minimum age must be a whole number of ms, 0 or more');
  }
}

/** Whoever starts an upload checks the address before it is sealed. */
function checkAddress(source: HttpSource): void {
  const { hash = '', username = '', password = '' } = urlOfSource(source) ?? {};
  if (username !== '' || password !== '') {
    throw new ValidationError(
      'source',
      'the address holds a user name or a password',
      'Remove them; headers for sources come from a named secret.',
    );
  }
  if (hash === '') return;
  // No server sees it: of `Take #1.mp4` and `Take #2.mp4` it would send the same file.
  throw new ValidationError(
    'source',
    "the address holds a #, and what follows it isn't sent to a server",
    'Write # as %23 if it belongs to the name; otherwise remove it and what follows.',
  );
}

function checkObject({ bucket, key }: S3Source): void {
  if (typeof bucket !== 'string' || bucket.trim() === '') {
    throw new ValidationError('source.bucket', 'the name of the bucket is empty');
  }
  if (typeof key !== 'string' || key === '' || key.endsWith('/')) {
    throw new ValidationError(
      'source.key',
      'the source names a bucket or a folder, but no object',
      'Write it as s3://bucket/key.',
    );
  }
}

/** What an address does not say about its source. */
export interface AddressOptions {
  /** Name of the secret whose headers are sent with requests for http sources. */
  readonly secret?: string | undefined;
}

/**
 * Returns the source that an address names, such as `s3://bucket/key`. Undefined for a text without a scheme. Throws a
 * `ValidationError` for a scheme of no kind of source, and for an address that names none.
 */
export function addressedSource(text: string, options: AddressOptions): SourceDescriptor | undefined {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return undefined;
  if (scheme === 'http' || scheme === 'https') return httpSource(text, options);
  if (scheme === 's3') return s3Source(text);
  throw new ValidationError(
    'source',
    `sources of the kind ${scheme.slice(0, 20)}:// are not read`,
    'Name a path, an http(s) URL or s3://bucket/key.',
  );
}

function httpSource(url: string, { secret }: AddressOptions): HttpSource {
  if (!URL.canParse(url)) {
    throw new ValidationError(
      'source',
      'the address is not a URL',
      'Write it in full, as https://host/file.mp4.',
    );
  }
  const source: HttpSource = { kind: 'http', url, label: labelOf(url), ...given({ headersSecret: secret }) };
  checkAddress(source);
  return source;
}

function s3Source(text: string): S3Source {
  const { bucket, key } = parseS3Address(text, 'source') ?? { bucket: '', key: '' };
  const source: S3Source = { kind: 's3', bucket, key };
  checkObject(source);
  return source;
}

/** Returns what lists and logs show of a source: never a folder, a query or a secret. */
export function labelOfSource(source: SourceDescriptor): string {
  switch (source.kind) {
    case 'path':
      return source.fileName ?? lastName(source.path);
    case 'http':
      return source.label;
    case 's3':
      return `s3://${source.bucket}/${lastSegment(source.key)}`;
  }
}

/** Returns the name of a source, as far as the source itself shows it. */
export function fileNameOfSource(source: SourceDescriptor): string | undefined {
  switch (source.kind) {
    case 'path':
      return source.fileName ?? lastName(source.path);
    case 'http':
      return source.fileName ?? fileNameOfUrl(String(source.url));
    case 's3':
      return lastSegment(source.key);
  }
}

function lastName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? '';
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

/** Returns the only machine that can read the source. Undefined: every machine can. */
export function hostOfSource(source: SourceDescriptor): string | undefined {
  return source.kind === 'path' ? source.host : undefined;
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
