import { ConfigurationError, MediaServiceError } from '../../errors';
import type { PinnedSource, SourceDescriptor } from './source';
import type { SourceAccess } from './source-access';
import { pinHttpSource } from './http/http-pin';
import { pinPath } from './path/path-pin';
import { spoolUrl } from './http/spool';
import { pinS3Source } from './s3/s3-pin';

/**
 * Fixes what a source is: size, fingerprint, name. A URL that knows no Range, tells no size or has neither ETag nor Last-Modified is copied to
 * the spool folder, and what is pinned then is that file.
 *
 * Rejects with `SourceMissing`, `SourceNotAllowed`, `Validation` for a source without bytes, or a `ConfigurationError` that names both ways out where a spool folder is needed and none
 * is set; for S3 as `S3Objects`.
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

/** The same for what need not be uploaded: it may be empty, and has nothing to read then. */
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
    `${label} cannot be read in parts (no Range, no size, or nothing that tells whether it changed), and no spool folder is set`,
    'Set MEDIA_SERVICE_SPOOL_DIR to a folder with room for the file, or give an address that answers Range requests.',
  );
}
