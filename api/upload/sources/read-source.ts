import { MediaServiceError } from '../../errors';
import type { PinnedSource, SourceDescriptor, SourceReader } from './source';
import type { SourceAccess } from './source-access';
import { sourceIdentity } from './source-identity';
import type { ReleaseAccess, SourceIo } from './source-kind';
import { isOurs } from './source-rules';
import { identifyHttpSource } from './http/http-pin';
import { openHttpSource } from './http/http-source';
import { pinOrSpool } from './http/spool';
import { pinPath } from './path/path-pin';
import { releasePath } from './path/path-release';
import { openPath } from './path/path-source';
import { pinS3Source } from './s3/s3-pin';
import { openS3Source } from './s3/s3-source';

const IO: Readonly<Record<SourceDescriptor['kind'], SourceIo<SourceDescriptor>>> = {
  path: { pin: pinPath, open: openPath, release: releasePath },
  http: { pin: pinOrSpool, open: openHttpSource, identify: identifyHttpSource },
  s3: { pin: pinS3Source, open: openS3Source },
};

/**
 * Fixes what a source is: size, fingerprint, name. Some URLs are copied to the spool folder, and the copy is pinned:
 * those that support no Range, report no size, or have neither ETag nor Last-Modified.
 *
 * Rejects with `SourceMissing`, `SourceNotAllowed`, or `Validation` for a source without bytes. If a spool folder is
 * needed and none is set, it rejects with a `ConfigurationError` that names both ways out. For S3 it rejects as
 * `S3Objects` does.
 */
export async function pinSource(
  access: SourceAccess,
  source: SourceDescriptor,
  signal?: AbortSignal,
): Promise<PinnedSource> {
  const pinned = await pinAnySize(access, source, signal);
  if (pinned.bytes > 0) return pinned;
  const name = 'path' in source ? `the file ${source.path}` : `the source ${pinned.fileName}`;
  throw new MediaServiceError('Validation', `${name} is empty`, {
    field: 'source',
    outcome: 'unsent',
    hint: 'An upload needs at least one byte.',
  });
}

/** The same for sources that are not uploaded: they may be empty, with nothing to read. */
export async function pinAnySize(
  access: SourceAccess,
  source: SourceDescriptor,
  signal?: AbortSignal,
): Promise<PinnedSource> {
  return IO[source.kind].pin(access, source, signal);
}

/** Returns the source's identity, see `sourceIdentity`. Copies nothing. Rejects as `pinSource` does. */
export async function readSourceIdentity(
  access: SourceAccess,
  source: SourceDescriptor,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const io = IO[source.kind];
  return io.identify === undefined
    ? sourceIdentity(await pinSource(access, source, signal))
    : io.identify(access, source, signal);
}

/**
 * Reads ranges of a pinned source and compares each with the pin, see `SourceReader`. It opens nothing until a range is
 * read.
 */
export function openSource(access: SourceAccess, pinned: PinnedSource): SourceReader {
  return IO[pinned.source.kind].open(access, pinned);
}

/**
 * Deletes the file of a source marked `deleteAfter`, if it is ours: a copy in the spool folder, or a handed-over file
 * inside the roots with a proof. Every other source stays. A missing file counts as released. Rejects with
 * `SourceNotAllowed` if a marked file is not ours.
 */
export async function releaseSource(access: ReleaseAccess, source: SourceDescriptor): Promise<void> {
  if (isOurs(source)) await IO[source.kind].release?.(access, source);
}
