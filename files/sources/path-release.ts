import { unlink } from 'node:fs/promises';
import path from 'node:path';
import { allowedPath } from '../allowed-path';
import { systemCodeOf } from '../system-error';
import { MediaServiceError } from '../../api/errors';
import type { ReleaseAccess } from './read-source';
import { s3Address } from '../../api/upload/sources/source';
import type { PathSource, S3Source } from '../../api/upload/sources/source';
import { isHandOverName } from './hand-over-file';
import { spoolCopyOf } from './spool-file';

/** Deletes a copy in the spool folder or a handed-over file, see `releaseSource`. */
export async function releasePath(access: ReleaseAccess, source: PathSource): Promise<void> {
  try {
    const file = (await spoolCopyOf(access, source)) ?? (await handedOverFile(access, source));
    await unlink(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Returns the real path of a handed-over file. */
async function handedOverFile(access: ReleaseAccess, source: PathSource): Promise<string> {
  const name = path.basename(source.path);
  if (!isHandOverName(name)) throw notDeleted(source, 'its name is not that of a handed-over file');
  requireProof(access, source);
  const real = await allowedPath(access, source.path);
  if (path.basename(real) !== name) throw notDeleted(source, 'it is a link');
  return real;
}

/** Rejects unless whoever started the upload had the account's secrets. */
export function requireProof({ proveHandOver }: ReleaseAccess, source: PathSource | S3Source): void {
  const unproved = 'nothing proves that it was handed over for this account';
  if (proveHandOver === undefined) throw notDeleted(source, unproved);
  try {
    proveHandOver(source);
  } catch (error) {
    const reason = error instanceof Error ? `: ${error.message}` : '';
    throw notDeleted(source, unproved + reason, error);
  }
}

function notDeleted(source: PathSource | S3Source, why: string, cause?: unknown): MediaServiceError {
  return new MediaServiceError(
    'SourceNotAllowed',
    `the file ${source.kind === 'path' ? source.path : s3Address(source)} is not deleted: ${why}`,
    {
      outcome: 'refused',
      field: 'source.deleteAfter',
      hint: 'Only copies in the spool folder and files that were handed over for an upload are deleted. Delete it yourself if nobody needs it.',
    },
    { cause },
  );
}

function isMissing(error: unknown): boolean {
  const cause = error instanceof MediaServiceError ? error.cause : error;
  return systemCodeOf(cause) === 'ENOENT';
}
