/** Where S3 is and what of it may be touched. Credentials are never among it: the library's own chain finds them. */
export interface S3Settings {
  /** Of another service than Amazon's: `https://minio.example:9000`. */
  readonly endpoint?: string;
  /** Default: what the environment or the profile says, else `us-east-1`. */
  readonly region?: string;
  /** The bucket stands in the path instead of the host name. Default: with an endpoint yes, else no. */
  readonly pathStyle?: boolean;
  /** Buckets that may be read and written. Unset: all that the credentials allow. */
  readonly buckets?: readonly string[];
}

export interface S3Object {
  readonly bucket: string;
  readonly key: string;
  /** Unset: the newest. */
  readonly versionId?: string;
  /** Who reads pays, where the bucket's owner wants it so. */
  readonly requesterPays?: boolean;
}

/** What tells versions of an object apart, as far as the store says it. */
export interface S3Version {
  /** Of the whole object. */
  readonly bytes: number;
  /** With its quotes. */
  readonly eTag?: string;
  /** Time of the last write, ISO 8601; S3 keeps seconds. */
  readonly modified?: string;
  /** Only in buckets that keep versions. */
  readonly versionId?: string;
}

export interface S3Facts extends S3Version {
  readonly mimeType?: string;
}

export interface S3Entry {
  readonly key: string;
  readonly bytes: number;
  /** Epoch ms. */
  readonly modifiedAt?: number;
}

export interface S3Reading {
  /** Bytes [offset, offset + length). Unset: all. */
  readonly range?: { readonly offset: number; readonly length: number };
  /** Only this version: `If-Match` goes along if it has an ETag, and each answer is compared. Rejects with `SourceChanged` before a byte of another one. */
  readonly version?: S3Version;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What this project does with S3. Everything rejects with a `MediaServiceError` that names bucket, key and endpoint: `Configuration` (library,
 * credentials, region; the fact `permanent: false` where waiting may help), `SourceMissing`, `SourceNotAllowed`, `OutputFailed` where something is written, `Transport` and `ServiceFailed` where it may
 * pass.
 */
export interface S3Objects {
  facts(object: S3Object, signal?: AbortSignal): Promise<S3Facts>;
  read(object: S3Object, reading?: S3Reading): AsyncIterable<Uint8Array>;
  /** Appears whole or not at all. In several parts where it is large; some MB of memory, whatever its size. */
  write(object: S3Object, content: AsyncIterable<Uint8Array>, writing?: S3Writing): Promise<void>;
  /**
   * Writes what fits into memory where nothing is there yet; false: something is, and stays. Two who do so at once: one succeeds, except in a store that does
   * not know `If-None-Match`, where the later one's stays.
   */
  create(object: S3Object, content: Uint8Array, writing?: S3Writing): Promise<boolean>;
  /** Everything below a prefix, by the bytes of the key, page by page. */
  list(bucket: string, prefix: string, signal?: AbortSignal): AsyncIterable<S3Entry>;
  /** What is gone already counts as deleted. */
  delete(object: S3Object, signal?: AbortSignal): Promise<void>;
  /** Ends its connections. */
  close(): void;
}

export interface S3Writing {
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
}

/** `s3://bucket/key`, as people write it. */
export function s3Address({ bucket, key }: Pick<S3Object, 'bucket' | 'key'>): string {
  return `s3://${bucket}/${key}`;
}
