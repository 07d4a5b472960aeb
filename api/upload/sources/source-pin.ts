import { ConfigurationError, MediaServiceError } from '../../errors';
import type { PinnedSource, SourceDescriptor } from './source';
import type { SourceAccess } from './source-access';
import { pinHttpSource } from './http/http-pin';
import { pinPath } from './path/path-pin';
import { spoolUrl } from './http/spool';
import { pinS3Source } from './s3/s3-pin';

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
  throw new MediaServiceError(
    'Validation',
    `${source.kind === 'path' ? `the file ${source.path}` : `the source ${pinned.fileName}`} is empty`,
    {
      field: 'source',
      outcome: 'unsent',
      hint: 'An upload needs at least one byte.',
    },
  );
}

/** The same for sources that are not uploaded: they may be empty, with nothing to read. */
export async function pinAnySize(
  access: SourceAccess,
  source: SourceDescriptor,
  signal?: AbortSignal,
): Promise<PinnedSource> {
  if (source.kind === 'path') return pinPath(access, source);
  if (source.kind === 's3') return pinS3Source(access, source, signal);
  if (source.spool !== true) {
    const pinned = await pinHttpSource(access, source, signal);
    if (pinned !== 'needs-spool') return pinned;
  }
  if (access.spoolDir === undefined) throw noSpoolFolder(source.label);
  return spoolUrl({ ...access, spoolDir: access.spoolDir }, source, signal);
}

function noSpoolFolder(label: string): ConfigurationError {
  return new ConfigurationError(
    'spoolDir',
    `${label} cannot be read in parts (no Range, no size, or no way to see whether it changed), and no spool folder is set`,
    {
      remedy: { kind: 'set-spool-folder', why: 'unset' },
      hint: 'Or give an address that answers Range requests.',
    },
  );
}
