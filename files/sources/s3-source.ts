import path from 'node:path';
import type { Pinned, PinnedSource, S3Source, SourceReader } from '../../api/upload/sources/source';
import { claimKept } from './release-source';
import type { SourceAccess } from './source-access';
import { given } from '../../api/json';
import { requireVersion, s3Address } from '../../api/upload/sources/source';
import type { S3Objects } from '../s3/s3-client';
import { mimeTypeOf, mimeTypeOfHeader, contentOf, HEAD_BYTES, headOf } from '../../api/upload/file-type';
import { ConfigurationError } from '../../api/errors';

/**
 * Reads ranges of a pinned object, each only if the object is still the pinned version. A connection that ends early
 * rejects with a `TransportError`, which can be retried.
 */
export function openS3Source(access: SourceAccess, pinned: Pinned<S3Source>): SourceReader {
  const { source, fingerprint } = pinned;
  return {
    read: (offset, length, signal) =>
      requireS3(access, source).read(source, { range: { offset, length }, signal, fingerprint }),
    async requireUnchanged(end, signal) {
      if (end < pinned.bytes || source.versionId !== undefined) return;
      const look = async (): Promise<string> =>
        (await requireS3(access, source).facts(source, signal)).fingerprint;
      await requireVersion(s3Address(source), fingerprint, look);
    },
  };
}

/**
 * Pins an object: its size and ETag (or else the time of its last write). If its bucket keeps versions, it pins the
 * version too, so that the upload continues with it whatever is written meanwhile. Rejects as `S3Objects` does.
 */
export async function pinS3Source(
  access: SourceAccess,
  source: S3Source,
  signal?: AbortSignal,
): Promise<PinnedSource> {
  const s3 = requireS3(access, source);
  const facts = await s3.facts(source, signal);
  const { bytes, fingerprint, versionId } = facts;
  await claimKept(access, source);
  const fileName = path.posix.basename(source.key);
  const mimeType = mimeTypeOfHeader(facts.mimeType) ?? mimeTypeOf(path.posix.extname(source.key));
  const pinned = {
    source: { ...source, ...given({ versionId }) },
    ...{ bytes, fingerprint, fileName },
    ...given({ mimeType }),
  };
  if (bytes === 0) return pinned;
  const range = { offset: 0, length: Math.min(bytes, HEAD_BYTES) };
  const head = await headOf(s3.read(pinned.source, { range, signal, fingerprint }));
  return { ...pinned, content: contentOf(head, { 'content-type': facts.mimeType }) };
}

function requireS3({ s3 }: Pick<SourceAccess, 's3'>, source: S3Source): S3Objects {
  if (s3 !== undefined) return s3;
  throw new ConfigurationError(
    's3',
    `${s3Address(source)} can't be read here: only workers read S3`,
    'Upload through Temporal, or give a pre-signed https address of the object.',
  );
}
