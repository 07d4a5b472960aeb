import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { MediaServiceError } from '../../../errors';
import type { SourceAccess } from '../source-access';
import { noteRootsOf, sourceBehindAwayRoot, unreadablePath } from './away-root';
import { isInsideFolders } from './inside-folders';

/**
 * The real path of a file, once all symbolic links are followed, if it lies inside one of the roots. Rejects with `SourceMissing`,
 * `SourceNotAllowed`, and `SourceUnavailable` while its root is away.
 */
export async function allowedPath({ roots }: Pick<SourceAccess, 'roots'>, file: string): Promise<string> {
  // Before anything is looked up: an error must not tell whether a file outside the roots exists.
  if (!(await isInsideFolders(path.resolve(file), roots, false))) {
    const real = await realpath(file).catch(() => undefined);
    if (real === undefined || !(await isInsideFolders(real, roots, true)))
      throw (await sourceBehindAwayRoot(file, roots)) ?? notAllowed(file, roots);
  }
  const real = await realpath(file).catch(async (error: unknown) => {
    throw await unreadablePath(file, roots, error);
  });
  // Without its root nobody can tell whether the file lies below it.
  if (!(await isInsideFolders(real, roots, true)))
    throw (await sourceBehindAwayRoot(file, roots)) ?? notAllowed(file, roots);
  await noteRootsOf(file, roots);
  return real;
}

export function notAllowed(file: string, roots: readonly string[]): MediaServiceError {
  const none = roots.length === 0;
  return new MediaServiceError(
    'SourceNotAllowed',
    none
      ? `the file ${file} can't be read: reading files from disk is turned off`
      : `the file ${file} is outside the allowed folders`,
    {
      outcome: 'unsent',
      field: 'source.path',
      hint: none
        ? 'Set MEDIA_SERVICE_FILE_ROOTS to the folders that files may be uploaded from, or ask your administrator to.'
        : `${path.isAbsolute(file) ? 'Move' : 'Give its full path, move'} the file, or add its folder to MEDIA_SERVICE_FILE_ROOTS. Symbolic links are followed before the check.`,
    },
  );
}
