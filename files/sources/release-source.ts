import { rm, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { MediaServiceError } from '../../api/errors';
import { s3Address } from '../../api/upload/sources/source';
import type { PathSource, S3Source, SourceDescriptor } from '../../api/upload/sources/source';
import { isOurs } from '../../api/upload/sources/source-rules';
import type { ReleaseAccess } from './source-access';
import { KEPT, spoolCopyOf } from './spool-file';

/**
 * Deletes the file of a source marked `deleteAfter`: one of ours in the spool folder, or an object with a proof. Every
 * other source stays. A missing file counts as released. Rejects with `SourceNotAllowed` if a marked file is not ours.
 */
export async function releaseSource(access: ReleaseAccess, source: SourceDescriptor): Promise<void> {
  if (!isOurs(source)) return;
  if (source.kind === 's3') {
    requireProof(access, source);
    return access.s3?.delete(source);
  }
  const file = await spoolCopyOf(access, source);
  if (file === undefined) throw notDeleted(source, 'it is no file of ours in the spool folder');
  return rm(file, { force: true });
}

/** Beside a file that was sent to the HTTP door. It says that an upload has it. */
const CLAIMED = '.claimed';

/** Marks a file that was sent to the HTTP door as in use, so that the door does not remove it. */
export async function claimKept(access: ReleaseAccess, source: PathSource | S3Source): Promise<void> {
  const place = source.kind === 's3' ? source.key : await spoolCopyOf(access, source);
  const end = place?.lastIndexOf(KEPT) ?? -1;
  if (place === undefined || source.deleteAfter !== true || end < 0) return;
  const claim = place.slice(0, end) + CLAIMED;
  if (source.kind === 'path') return writeFile(claim, '', { flag: 'a' });
  requireProof(access, source);
  await access.s3?.write({ bucket: source.bucket, key: claim }, Readable.from([]));
}

/** Whoever may start workflows must not be able to delete every object, or to write beside it. */
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
