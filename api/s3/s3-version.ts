import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import type { S3Facts, S3Version } from './s3-objects';

type Answer = Pick<
  GetObjectCommandOutput,
  'ContentLength' | 'ContentRange' | 'ContentType' | 'ETag' | 'LastModified' | 'VersionId'
>;

/** What an answer says about its object, whichever range of it was asked for. */
export function s3FactsIn(answer: Answer): S3Facts {
  const total = /\/(\d+)$/.exec(answer.ContentRange ?? '')?.[1];
  // Who knows no Range answers the whole of it.
  const bytes = total === undefined ? answer.ContentLength : Number(total);
  const { ETag, LastModified, VersionId, ContentType } = answer;
  return {
    bytes: bytes ?? 0,
    ...(ETag === undefined ? {} : { eTag: ETag }),
    ...(LastModified === undefined ? {} : { modified: LastModified.toISOString() }),
    ...(VersionId === undefined ? {} : { versionId: VersionId }),
    ...(ContentType === undefined ? {} : { mimeType: ContentType }),
  };
}

/**
 * Why an object is not the pinned version; undefined: nothing that both answers say. The modification time counts only if there is no ETag: the same
 * content may be written again.
 */
export function versionDifference(pinned: S3Version, now: S3Version): string | undefined {
  if (now.bytes !== pinned.bytes) return `it has ${now.bytes} bytes, and had ${pinned.bytes}`;
  if (differ(pinned.versionId, now.versionId)) return 'it is another version';
  if (pinned.eTag !== undefined && now.eTag !== undefined) {
    return pinned.eTag === now.eTag ? undefined : 'its ETag is another';
  }
  return differ(pinned.modified, now.modified) ? 'it was written again' : undefined;
}

function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
