import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { MediaServiceError } from '../../api/errors';
import { noteRootsOf, sourceBehindAwayRoot, unreadablePath } from './away-root';
import { otherSpelling } from '../disk/other-spelling';
import { systemCodeOf } from '../system-error';
import { isInsideFolders } from './inside-folders';

/** Absolute folders whose files may be read. Empty: none. */
export interface ReadRoots {
  readonly roots: readonly string[];
}

/**
 * Returns the real path of a file, with all symbolic links followed, if it is inside one of the roots. Rejects with
 * `SourceMissing`, `SourceNotAllowed`, or `SourceUnavailable` while its root is unavailable.
 */
export async function allowedPath({ roots }: ReadRoots, file: string): Promise<string> {
  // Checked before any look-up: an error must not reveal whether a file outside the roots exists.
  if (!(await isInsideFolders(path.resolve(file), roots, false))) {
    const real = await realpath(file).catch(() => undefined);
    if (real === undefined || !(await isInsideFolders(real, roots, true)))
      throw (await sourceBehindAwayRoot(file, roots)) ?? notAllowed(file, roots);
  }
  const real = await realpath(file).catch((error: unknown) => lookAgain({ roots }, file, error));
  // Without its root, nobody knows whether the file is below it.
  if (!(await isInsideFolders(real, roots, true)))
    throw (await sourceBehindAwayRoot(file, roots)) ?? notAllowed(file, roots);
  await noteRootsOf(file, roots);
  return real;
}

/** Looks once more for a file that was not found: its name may have other accents, or it exists now, as a batch's folder may. */
async function lookAgain({ roots }: ReadRoots, file: string, error: unknown): Promise<string> {
  const spelled = systemCodeOf(error) === 'ENOENT' ? await otherSpelling(file) : undefined;
  if (spelled !== undefined)
    return realpath(spelled).catch(async (cause: unknown) => {
      throw await unreadablePath(spelled, roots, cause);
    });
  const failure = await unreadablePath(file, roots, error);
  return realpath(file).catch(() => Promise.reject(failure));
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
      remedy: { kind: 'allow-file', rootsSet: !none, isAbsolute: path.isAbsolute(file) },
    },
  );
}
