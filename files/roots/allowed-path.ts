import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { MediaServiceError } from '../../api/errors';
import { otherSpelling } from '../disk/other-spelling';
import { systemCodeOf } from '../system-error';
import { unreadablePath } from './away-root';
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
  const isNamed = await isInsideFolders(path.resolve(file), roots, false);
  const real = await realpath(file).catch((error: unknown) => {
    // The error must not reveal whether a file outside the roots exists.
    if (!isNamed) throw notAllowed(file, roots);
    return lookAgain({ roots }, file, error);
  });
  if (!(await isInsideFolders(real, roots, true))) throw notAllowed(file, roots);
  return real;
}

/** Looks once more for a file that was not found: its name may have other accents, or it exists now, as a batch's folder may. */
async function lookAgain({ roots }: ReadRoots, file: string, error: unknown): Promise<string> {
  const spelled = systemCodeOf(error) === 'ENOENT' ? await otherSpelling(file) : undefined;
  return realpath(spelled ?? file).catch(async (cause: unknown) => {
    throw await unreadablePath(spelled ?? file, roots, cause);
  });
}

/** Opening must not wait for a pipe or device, and follows no link that replaced the checked file. */
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a file inside the roots for reading. Rejects as `allowedPath` does. */
export async function openAllowed({ roots }: ReadRoots, file: string): Promise<FileHandle> {
  return openReal(await allowedPath({ roots }, file), { roots }, file);
}

/** Opens a real path that was checked. `file`: the path as given. Rejects as `allowedPath` does. */
export function openReal(real: string, { roots }: ReadRoots, file: string): Promise<FileHandle> {
  return open(real, READ_ONLY).catch(async (error: unknown) => {
    throw systemCodeOf(error) === 'ELOOP'
      ? notAllowed(file, roots)
      : await unreadablePath(file, roots, error);
  });
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
