import path from 'node:path';
import type { S3Facts } from '../../../s3/s3-objects';
import { mimeTypeOf } from '../../request/file-type';
import type { PinnedSource, S3Source } from '../source';
import type { SourceAccess } from '../source-access';
import { tellingType } from '../telling-type';
import { requireS3 } from './require-s3';

/**
 * Pins an object: size, ETag, and the version where its bucket keeps versions, so that the upload goes on with that one whatever is written there
 * meanwhile. Rejects as `S3Objects`.
 */
export async function pinS3Source(
  access: SourceAccess,
  source: S3Source,
  signal?: AbortSignal,
): Promise<PinnedSource> {
  const facts = await requireS3(access, source).facts(source, signal);
  const fileName = path.posix.basename(source.key);
  const mimeType = tellingType(facts.mimeType) ?? mimeTypeOf(path.posix.extname(source.key));
  return {
    source: facts.versionId === undefined ? source : { ...source, versionId: facts.versionId },
    bytes: facts.bytes,
    fingerprint: s3Fingerprint(facts),
    fileName,
    ...(mimeType === undefined ? {} : { mimeType }),
  };
}

function s3Fingerprint({ bytes, eTag }: S3Facts): string {
  return `s3;bytes=${bytes};etag=${eTag ?? ''}`;
}

/** The ETag that a fingerprint was made of, with its quotes; undefined where the object had none. */
export function eTagOfPin({ fingerprint }: Pick<PinnedSource, 'fingerprint'>): string | undefined {
  return /;etag=(.+)$/s.exec(fingerprint)?.[1];
}
