import { unlink } from 'node:fs/promises';
import { MediaServiceError } from '../../errors';
import type { SourceDescriptor } from './source';
import type { SourceAccess } from './source-access';
import { allowedSource } from './path/allowed-path';
import { systemCodeOf } from './source-failure';

/**
 * Removes the file of a source that is marked `deleteAfter` (spooled, or handed over through a shared folder); every other source stays.
 * A file that is gone already is released. Rejects with `SourceNotAllowed` for a file outside the roots that is no copy in the
 * spool folder.
 */
export async function releaseSource(
  access: Pick<SourceAccess, 'roots' | 'spoolDir'>,
  source: SourceDescriptor,
): Promise<void> {
  if (source.kind !== 'path' || source.deleteAfter !== true) return;
  try {
    await unlink(await allowedSource(access, source));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function isMissing(error: unknown): boolean {
  const cause = error instanceof MediaServiceError ? error.cause : error;
  return systemCodeOf(cause) === 'ENOENT';
}
