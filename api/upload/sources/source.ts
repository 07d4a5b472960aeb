import { MediaServiceError, ValidationError } from '../../errors';
import type { ErrorCode, ErrorFacts } from '../../errors';
import type { Transport } from '../../transport/transport';

export type ContentKind = 'VIDEO' | 'IMAGE' | 'AUDIO' | 'DOCUMENT' | 'FRAMES' | 'HTML' | 'MARKUP' | 'OTHER';

/** What a source shows of its content. Plain JSON without the content itself. */
export interface SourceContent {
  /** Content-Type in lower case, without parameters. */
  readonly type?: string;
  /** Content-Encoding, if it is not `identity`. */
  readonly encoding?: string;
  /** What the first bytes are. Unset: unknown. */
  readonly kind?: ContentKind;
  /** The first bytes for people, unless they are those of media. */
  readonly begins?: string;
}

/**
 * A source of bytes. A `SourceDescriptor` is plain JSON in a workflow's input. A new kind needs a descriptor here, and
 * its cases in `source-rules` and in `files/sources/read-source`.
 */
export type SourceDescriptor = PathSource | HttpSource | S3Source;

/** For files of our own: copies of URLs, and files that were sent to the HTTP door. */
interface OwnFile {
  /** Delete the file when the upload has ended. */
  readonly deleteAfter?: boolean;
  /**
   * For an object in S3: proves that whoever asked for its deletion has the account's secrets. Made when the upload
   * starts, see `SourceAccess.proveOwn`.
   */
  readonly deleteProof?: unknown;
  readonly bytes?: number;
  /** SHA-256 of the content in hex, if it was made when the file was sent. */
  readonly digest?: string;
}

/** A file on a machine, inside the allowed roots. */
export interface PathSource extends OwnFile {
  readonly kind: 'path';
  readonly path: string;
  /** The file's machine. Unset: every worker mounts the file at this path. */
  readonly host?: string;
  /** Name of a file that was sent, because its path ends in a generated name. */
  readonly fileName?: string;
  /** It is not read before its last change is this long ago, ms: it may still grow. Default: at once. */
  readonly minAgeMs?: number;
  /** For the copy of a URL: the URL's identity when it was copied, see `sourceIdentity`. */
  readonly identity?: string;
}

/** A file behind http(s). `Url` is the plain address, or its sealed form for a history. */
export interface HttpSource<Url = unknown> {
  readonly kind: 'http';
  readonly url: Url;
  /** Scheme, host and last path segment: the only part of the address that is ever shown. */
  readonly label: string;
  /** What the starter knows about the file, if the server does not report it (n8n's signed binary URLs). */
  readonly fileName?: string;
  readonly mimeType?: string;
  readonly bytes?: number;
  /** SHA-256 of the content in hex, if the starter made one. */
  readonly digest?: string;
  /** The server supports no Range: copy the file to the worker's spool folder first. */
  readonly spool?: boolean;
  /** Name of the secret with headers for the hosts that it names. Its content never leaves the worker. */
  readonly headersSecret?: string;
}

/** An object in S3 or a compatible store. Endpoint, region and credentials are settings of the worker that reads it. */
export interface S3Source extends OwnFile {
  readonly kind: 's3';
  readonly bucket: string;
  /** Without a leading slash. */
  readonly key: string;
  /** Unset: the newest version when the upload starts. */
  readonly versionId?: string;
}

/** A source as it was when the upload started. Every later read is compared with it. Plain JSON. */
export interface PinnedSource {
  readonly source: SourceDescriptor;
  readonly bytes: number;
  /**
   * What must not change: size and times of a file, or size and ETag or Last-Modified of a remote source. Equal texts
   * mean the same source. For a file, a different text may also mean the same one: see `pathDifference`.
   */
  readonly fingerprint: string;
  readonly fileName: string;
  readonly mimeType?: string;
  /** Set if each part is read into memory, bytes. Parts are larger only if the file needs it. */
  readonly partMemoryBytes?: number;
  /** What it showed of its content when it was pinned. Unset: nobody looked. */
  readonly content?: SourceContent;
}

/** Opens byte ranges of a pinned source. Rejects with `SourceChanged` if the source is no longer the pinned one. */
export interface SourceReader {
  /** Bytes [offset, offset + length). Each chunk is valid until the next one is requested. */
  read(offset: number, length: number, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * Rejects with `SourceChanged` if another look shows that, after the bytes before `end` were sent. A look that fails
   * shows nothing. A remote source is asked only if they were its last ones.
   */
  requireUnchanged?(end: number, signal?: AbortSignal): Promise<void>;
}

/** A pinned source of one kind. */
export type Pinned<Source extends SourceDescriptor> = PinnedSource & { readonly source: Source };

/** What distinguishes versions of a source that is read over a network, as far as an answer shows it. */
export interface RemoteVersion {
  /** Size of the whole source. */
  readonly bytes: number | undefined;
  /** Includes its quotes. */
  readonly eTag: string | undefined;
  /** Time of the last write, in the answer's form. */
  readonly modified: string | undefined;
}

/** Returns the fingerprint of a version. Undefined without a size. If there is an ETag, the time does not count. */
export function remoteFingerprint(
  kind: 'http' | 's3',
  { bytes, eTag, modified }: RemoteVersion,
): string | undefined {
  if (bytes === undefined) return undefined;
  const of = `${kind};bytes=${bytes}`;
  if (eTag !== undefined) return `${of};etag=${eTag}`;
  return modified === undefined ? of : `${of};modified=${modified}`;
}

/** Reads the source of an upload in this process. `files/sources` makes one, with all kinds of sources. */
export interface UploadSources {
  /** For requests to object storage. */
  readonly transport: Transport;
  pin(source: SourceDescriptor, signal?: AbortSignal): Promise<PinnedSource>;
  /** Opens nothing until a range is read. */
  open(pinned: PinnedSource): SourceReader;
  /** Deletes a file that is ours. Every other source stays. */
  release(source: SourceDescriptor): Promise<void>;
}

/**
 * Returns scheme, host and last path segment of an address. Only this part of a source's URL is ever shown, logged or
 * stored unsealed. A text that is not a URL becomes `(no URL)`.
 */
export function labelOf(url: string): string {
  if (!URL.canParse(url)) return '(no URL)';
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}/${lastSegment(pathname)}`;
}

/** Returns the file name at the end of a URL's path, decoded. Undefined if the path ends in a slash. */
export function fileNameOfUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const segment = lastSegment(new URL(url).pathname);
  if (segment === '') return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns what follows the last slash. */
export function lastSegment(pathname: string): string {
  return pathname.slice(pathname.lastIndexOf('/') + 1);
}

/** Makes the error for a source of this name: a path or a label, never a URL with its query. */
export function sourceError(
  code: ErrorCode,
  [name, what]: readonly [name: string, what: string],
  { cause, ...facts }: ErrorFacts & ErrorOptions,
): MediaServiceError {
  const problem = `${name} ${what}`;
  const all: ErrorFacts = { outcome: 'unsent', field: 'source', problem, ...facts };
  return new MediaServiceError(code, `the source ${problem}`, all, cause === undefined ? {} : { cause });
}

export function sourceRefused(name: string, what: string, hint: string): MediaServiceError {
  return sourceError('SourceMissing', [name, what], { hint });
}

/** The address of an http source must not be read. */
export function addressNotAllowed(label: string, what: string, hint: string): MediaServiceError {
  return sourceError('SourceNotAllowed', [label, what], { field: 'source.url', hint });
}

type Address = Pick<S3Source, 'bucket' | 'key'>;

/** Returns `s3://bucket/key`, as people write it. */
export function s3Address({ bucket, key }: Address): string {
  return `s3://${bucket}/${key}`;
}

/**
 * Reads `s3://bucket/key`; the key may be empty. Undefined for any other text. Throws a `ValidationError` on `field` for
 * an address without a bucket.
 */
export function parseS3Address(text: string, field: string): Address | undefined {
  const [address, bucket = '', key = ''] = /^s3:\/\/([^/]*)\/?(.*)$/is.exec(text.trim()) ?? [];
  if (address === undefined) return undefined;
  if (/^[a-z0-9][a-z0-9._-]+$/i.test(bucket)) return { bucket, key };
  throw new ValidationError(field, 'the address names no bucket', 'Write s3://bucket/key.');
}

/** The source differs from the pinned one. */
export function sourceChanged(name: string, what: string): MediaServiceError {
  return sourceError('SourceChanged', [name, `changed since the upload started: ${what}`], {
    hint: 'Upload it again once nothing writes to it any more: a mixed file is never completed.',
  });
}

/** A remote source differs from the pinned one. Both are fingerprints. */
export function versionChanged(name: string, pinned: string, seen: string | undefined): MediaServiceError {
  const shown = (version: string): string => version.replace(/^\w+;/, '').replace(';', ', ');
  return sourceChanged(name, `it was ${shown(pinned)}, and is ${shown(seen ?? 'without a size')}`);
}

/** Looks once more at a remote source whose bytes all had the pinned version. */
export async function requireVersion(
  name: string,
  pinned: string,
  look: () => Promise<string | undefined>,
): Promise<void> {
  // A look that fails shows nothing.
  const seen = await look().catch(() => undefined);
  if (seen !== undefined && seen !== pinned) throw versionChanged(name, pinned, seen);
}

/** The file may still grow. It can be tried again when it is old enough. */
export function sourceTooYoung(name: string, ageMs: number, minAgeMs: number): MediaServiceError {
  const seconds = (ms: number): number => Math.round(ms / 1000);
  const what = `was written to ${seconds(ageMs)} s ago, and must rest for ${seconds(minAgeMs)} s first`;
  return sourceError('SourceUnavailable', [name, what], {
    field: MIN_AGE,
    retryAfterMs: minAgeMs - ageMs,
    hint: 'A running upload continues once nothing has written to the file for that long.',
  });
}

export const MIN_AGE = 'source.minAgeMs';
