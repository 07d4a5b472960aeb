import { rm } from 'node:fs/promises';
import { MediaServiceError } from '../../api/errors';
import { s3Address } from '../../api/upload/sources/source';
import type { PathSource, S3Source } from '../../api/upload/sources/source';
import type { ReleaseAccess } from './source-access';
import { spoolCopyOf } from './spool-file';

/** Deletes a file of the spool folder, or with a proof an object, see `releaseSource`. */
export async function releaseOwn(access: ReleaseAccess, source: PathSource | S3Source): Promise<void> {
  if (source.kind === 's3') {
    requireProof(access, source);
    return access.s3?.delete(source);
  }
  const file = await spoolCopyOf(access, source);
  if (file === undefined) throw notDeleted(source, 'it is no file of ours in the spool folder');
  return rm(file, { force: true });
}

/** Whoever may start workflows must not be able to delete every object. */
function requireProof({ proveOwn }: ReleaseAccess, source: S3Source): void {
  const unproved = 'nothing proves that it was sent for this account';
  if (proveOwn === undefined) throw notDeleted(source, unproved);
  try {
    proveOwn(source);
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
      hint: 'Only files that were copied or sent for an upload are deleted. Delete it yourself if nobody needs it.',
    },
    { cause },
  );
}
