import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { given } from '../../api/json';
import { remoteFingerprint } from '../../api/upload/sources/source';
import type { S3Source } from '../../api/upload/sources/source';

/** The address of S3 and the allowed buckets. It never contains credentials: the library's own chain finds them. */
export interface S3Settings {
  /** The address of another service than Amazon's: `https://minio.example:9000`. */
  readonly endpoint?: string;
  /** Default: the region from the environment or the profile, else `us-east-1`. */
  readonly region?: string;
  /** Buckets that may be read and written. Unset: all that the credentials allow. */
  readonly buckets?: readonly string[];
}

export type S3Object = Pick<S3Source, 'bucket' | 'key' | 'versionId'>;

export interface S3Facts {
  /** Size of the whole object. */
  readonly bytes: number;
  /** See `remoteFingerprint`. */
  readonly fingerprint: string;
  /** Only set in buckets that keep versions. */
  readonly versionId?: string;
  readonly mimeType?: string;
}

export interface S3Entry {
  readonly key: string;
  readonly bytes: number;
  /** Of its last write, epoch ms. */
  readonly writtenAt: number;
}

export interface S3Reading {
  /** Bytes [offset, offset + length). Unset: all. */
  readonly range?: { readonly offset: number; readonly length: number };
  /** Read only this version. Rejects with `SourceChanged` before it yields a byte of another one. */
  readonly fingerprint?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface S3Writing {
  readonly contentType?: string;
  /** See `FileAccess`. */
  readonly onlyNew?: boolean;
}

type Answer = Pick<
  GetObjectCommandOutput,
  'ContentLength' | 'ContentRange' | 'ContentType' | 'ETag' | 'LastModified' | 'VersionId'
>;

/** Reads the facts of the whole object from an answer, whichever range it holds. */
export function s3FactsIn(answer: Answer): S3Facts {
  const total = /\/(\d+)$/.exec(answer.ContentRange ?? '')?.[1];
  // A store without support for Range answers with the whole object.
  const bytes = (total === undefined ? answer.ContentLength : Number(total)) ?? 0;
  const { ETag: eTag, LastModified, VersionId, ContentType } = answer;
  const version = { bytes, eTag, modified: LastModified?.toISOString() };
  return {
    bytes,
    fingerprint: remoteFingerprint('s3', version) ?? '',
    ...given({ versionId: VersionId, mimeType: ContentType }),
  };
}

/** Returns what a store answered instead of the range. An answer without Content-Range is the whole object. */
export function rangeDifference(
  { offset, length }: NonNullable<S3Reading['range']>,
  { ContentRange, ContentLength = 0 }: Answer,
): string | undefined {
  const asked = `bytes ${offset}-${offset + length - 1}`;
  if (ContentRange?.startsWith(`${asked}/`) ?? (offset === 0 && ContentLength === length)) return undefined;
  const came = ContentRange ?? `the whole object, ${ContentLength} bytes`;
  return `is in a store that does not answer ranges: it was asked for ${asked} and sent ${came}`;
}
