/**
 * A source of bytes. A `SourceDescriptor` is plain JSON (it stands in a workflow's input); the matching file in
 * `api/upload/sources/` pins it and opens ranges of it. A new kind of source is one more descriptor and one more file.
 */
export type SourceDescriptor = PathSource | HttpSource | S3Source;

/** A file on a machine, inside the allowed roots. */
export interface PathSource {
  readonly kind: 'path';
  readonly path: string;
  /** The machine it lies on; unset: every worker mounts it at this path. */
  readonly host?: string;
  /** Delete the file when the upload has ended. Only for files of ours: spooled URLs, and binary data that was handed over through a shared folder. */
  readonly deleteAfter?: boolean;
  /** Of a handed-over file: shows that who wanted it deleted holds the account's secrets. Made when the upload starts, see `SourceAccess.proveHandOver`. */
  readonly handOverProof?: unknown;
  /** Its name and size where it was handed over: the path then ends in a name made for the hand-over. */
  readonly fileName?: string;
  readonly bytes?: number;
  /** SHA-256 of the content in hex, if whoever handed it over made one. */
  readonly digest?: string;
  /** Of the copy of a URL: the URL's identity when it was copied, see `sourceIdentity`. */
  readonly identity?: string;
}

/** A file behind http(s). `Url` is the plain address, or whatever seals it on its way through a history. */
export interface HttpSource<Url = unknown> {
  readonly kind: 'http';
  readonly url: Url;
  /** Scheme, host and last path segment: the only part of the address that is ever shown. */
  readonly label: string;
  /** What the starter knows about it, where the server does not tell (n8n's signed binary URLs). */
  readonly fileName?: string;
  readonly mimeType?: string;
  readonly bytes?: number;
  /** SHA-256 of the content in hex, if the starter made one. */
  readonly digest?: string;
  /** The server knows no Range: copy it to the worker's spool folder first. */
  readonly spool?: boolean;
  /** Name of the secret whose headers go along, to the hosts that the secret names; its content never leaves the worker. */
  readonly headersSecret?: string;
}

/** An object of S3, or of what speaks as it does. Endpoint, region and credentials are settings of the worker that reads it. */
export interface S3Source {
  readonly kind: 's3';
  readonly bucket: string;
  /** Without a leading slash. */
  readonly key: string;
  /** Unset: the newest when the upload starts. */
  readonly versionId?: string;
  /** Who reads pays, where the bucket's owner wants it so. */
  readonly requesterPays?: boolean;
}

/** A source as it was when the upload started: every later read is held against it. Plain JSON. */
export interface PinnedSource {
  readonly source: SourceDescriptor;
  readonly bytes: number;
  /**
   * What may not change: size and times of a file, or size and ETag or Last-Modified of a remote one. Equal texts mean the same source; of a file another text
   * may, too: see `pathDifference`.
   */
  readonly fingerprint: string;
  readonly fileName: string;
  readonly mimeType?: string;
}

/** Opens byte ranges of a pinned source. Rejects with `SourceChanged` where the source is not the pinned one any more. */
export interface SourceReader {
  /** Bytes [offset, offset + length). Yields chunks that are valid until the next one is asked for. */
  read(offset: number, length: number, signal?: AbortSignal): AsyncIterable<Uint8Array>;
}
