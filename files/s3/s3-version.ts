import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { given } from '../../api/json';
import type { S3Facts, S3Version } from './s3-objects';

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
    ...(ETag === undefined ? {} : { eTag: ETag }),
    ...(LastModified === undefined ? {} : { modified: LastModified.toISOString() }),
    ...given({ versionId: VersionId, mimeType: ContentType }),
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

function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
