import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { given } from '../../api/json';

/** The address of S3 and the allowed buckets. It never contains credentials: the library's own chain finds them. */
export interface S3Settings {
  /** The address of another service than Amazon's: `https://minio.example:9000`. */
  readonly endpoint?: string;
  /** Default: the region from the environment or the profile, else `us-east-1`. */
  readonly region?: string;
  /** Buckets that may be read and written. Unset: all that the credentials allow. */
  readonly buckets?: readonly string[];
}

export interface S3Object {
  readonly bucket: string;
  readonly key: string;
  /** Unset: the newest version. */
  readonly versionId?: string;
}

/** What distinguishes versions of an object, as far as the store reports it. */
export interface S3Version {
  /** Size of the whole object. */
  readonly bytes: number;
  /** Includes its quotes. */
  readonly eTag?: string;
  /** Time of the last write, ISO 8601, to the second. */
  readonly modified?: string;
  /** Only set in buckets that keep versions. */
  readonly versionId?: string;
}

export interface S3Facts extends S3Version {
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
  /**
   * Read only this version. Sends `If-Match` if it has an ETag, and compares each answer. Rejects with `SourceChanged`
   * before it yields a byte of another version.
   */
  readonly version?: S3Version;
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
  const bytes = total === undefined ? answer.ContentLength : Number(total);
  const { ETag, LastModified, VersionId, ContentType } = answer;
  return {
    bytes: bytes ?? 0,
    ...given({
      eTag: ETag,
      modified: LastModified?.toISOString(),
      versionId: VersionId,
      mimeType: ContentType,
    }),
  };
}

/**
 * Returns why an object is not the pinned version. Undefined: nothing differs in what both answers report. The
 * modification time counts only without an ETag: somebody may write the same content again.
 */
export function versionDifference(pinned: S3Version, now: S3Version): string | undefined {
  if (now.bytes !== pinned.bytes) return `it has ${now.bytes} bytes, and had ${pinned.bytes}`;
  if (differ(pinned.versionId, now.versionId)) return 'it is another version';
  if (pinned.eTag !== undefined && now.eTag !== undefined) {
    return pinned.eTag === now.eTag ? undefined : 'its ETag is another';
  }
  return differ(pinned.modified, now.modified) ? 'it was written again' : undefined;
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

function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
