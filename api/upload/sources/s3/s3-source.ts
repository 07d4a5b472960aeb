import type { S3Source, SourceReader } from '../source';
import type { Pinned } from '../source-kind';
import type { SourceAccess } from '../source-access';
import { requireS3, pinnedVersion } from './s3-pin';

/**
 * Reads ranges of a pinned object, each only if the object is still the pinned version. A connection that ends early
 * rejects with a `TransportError`, which can be retried.
 */
export function openS3Source(access: SourceAccess, pinned: Pinned<S3Source>): SourceReader {
  const { source } = pinned;
  const version = pinnedVersion(pinned);
  return {
    read: (offset, length, signal) =>
      requireS3(access, source).read(source, {
        range: { offset, length },
        signal,
        version,
      }),
  };
}
