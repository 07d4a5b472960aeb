import type { SourceContent } from './source-content';

/**
 * A source of bytes. A `SourceDescriptor` is plain JSON in a workflow's input. A new kind needs a descriptor here, a
 * folder, and its lines in `source-rules` and `read-source`.
 */
export type SourceDescriptor = PathSource | HttpSource | S3Source;

/** A file on a machine, inside the allowed roots. */
export interface PathSource {
  readonly kind: 'path';
  readonly path: string;
  /** The file's machine. Unset: every worker mounts the file at this path. */
  readonly host?: string;
  /**
   * Delete the file when the upload has ended. Only for our own files: spooled URLs, and binary data that was handed
   * over in a shared folder.
   */
  readonly deleteAfter?: boolean;
  /**
   * For a handed-over file: proves that whoever asked for its deletion has the account's secrets. Made when the upload
   * starts, see `SourceAccess.proveHandOver`.
   */
  readonly handOverProof?: unknown;
  /** Name and size of a handed-over file, because its path ends in a generated name. */
  readonly fileName?: string;
  readonly bytes?: number;
  /** SHA-256 of the content in hex, if it was computed at the hand-over. */
  readonly digest?: string;
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
export interface S3Source {
  readonly kind: 's3';
  readonly bucket: string;
  /** Without a leading slash. */
  readonly key: string;
  /** Unset: the newest version when the upload starts. */
  readonly versionId?: string;
  /** The reader pays, if the bucket's owner requires that. */
  readonly requesterPays?: boolean;
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
  /** What it showed of its content when it was pinned. Unset: nobody looked. */
  readonly content?: SourceContent;
}

/** Opens byte ranges of a pinned source. Rejects with `SourceChanged` if the source is no longer the pinned one. */
export interface SourceReader {
  /** Bytes [offset, offset + length). Each chunk is valid until the next one is requested. */
  read(offset: number, length: number, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** Rejects with `SourceChanged` if a look without reading shows that. Unset: such a look would cost a request. */
  requireUnchanged?(): Promise<void>;
}
