import { MediaServiceError } from '../../errors';
import type { PinnedSource, SourceDescriptor, SourceReader } from './source';
import type { SourceAccess } from './source-access';
import { sourceIdentity } from './source-identity';
import type { ReleaseAccess, SetUpAccess, SourceFacts, SourceIo } from './source-kind';
import { isOurs, pathOfSource } from './source-rules';
import { httpFacts } from './http/http-pin';
import { openHttpSource } from './http/http-source';
import { requireSecret } from './http/secret-headers';
import { pinOrSpool } from './http/spool';
import { pinPath } from './path/path-pin';
import { releasePath } from './path/path-release';
import { openPath } from './path/path-source';
import { pinS3Source, requireS3SetUp } from './s3/s3-pin';
import { openS3Source } from './s3/s3-source';

const IO: Readonly<Record<SourceDescriptor['kind'], SourceIo<SourceDescriptor>>> = {
  path: { pin: pinPath, open: openPath, release: releasePath },
  http: { pin: pinOrSpool, open: openHttpSource, facts: httpFacts, requireSetUp: requireSecret },
  s3: { pin: pinS3Source, open: openS3Source, requireSetUp: requireS3SetUp },
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
  const path = pathOfSource(source);
  const name = path === undefined ? `the source ${pinned.fileName}` : `the file ${path}`;
  throw new MediaServiceError('Validation', `${name} is empty`, {
    field: 'source',
    outcome: 'unsent',
    hint: 'An upload needs at least one byte. Check that the file was written completely.',
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

/** Returns a source's size and identity as far as they are known, and copies nothing. Rejects as `pinAnySize` does. */
export async function readSourceFacts(
  access: SourceAccess,
  source: SourceDescriptor,
  signal?: AbortSignal,
): Promise<SourceFacts> {
  const io = IO[source.kind];
  if (io.facts !== undefined) return io.facts(access, source, signal);
  const pinned = await pinAnySize(access, source, signal);
  return { bytes: pinned.bytes, identity: sourceIdentity(pinned) };
}

/** Rejects with `Configuration` if this process lacks a setting or secret that sources like this one need. */
export async function requireSetUp(
  access: SetUpAccess,
  source: SourceDescriptor,
  signal?: AbortSignal,
): Promise<void> {
  await IO[source.kind].requireSetUp?.(access, source, signal);
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
