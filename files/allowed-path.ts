import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { MediaServiceError } from '../api/errors';
import { mayPass, systemCodeOf } from './system-error';
import { sourceError } from '../api/upload/sources/source';
import { sourceUnreadable } from './read-failure';

/**
 * Returns the real path of a file, with all symbolic links followed, if it is inside one of the roots: absolute folders
 * whose files may be read. Rejects with
 * `SourceMissing`, `SourceNotAllowed`, or `SourceUnavailable` while its root is unavailable.
 */
export async function allowedPath(roots: readonly string[], file: string): Promise<string> {
  const isNamed = await isInsideFolders(path.resolve(file), roots, false);
  const real = await realpath(file).catch((error: unknown) => {
    // The error must not reveal whether a file outside the roots exists.
    if (!isNamed) throw notAllowed(file, roots);
    return lookAgain(roots, file, error);
  });
  if (!(await isInsideFolders(real, roots, true))) throw notAllowed(file, roots);
  return real;
}

/** Looks once more for a file that was not found: its name may have other accents, or it exists now, as a batch's folder may. */
async function lookAgain(roots: readonly string[], file: string, error: unknown): Promise<string> {
  const spelled = systemCodeOf(error) === 'ENOENT' ? await otherSpelling(file) : undefined;
  return realpath(spelled ?? file).catch(async (cause: unknown) => {
    throw await unreadablePath(spelled ?? file, roots, cause);
  });
}

/** Opening must not wait for a pipe or device, and follows no link that replaced the checked file. */
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a real path that was checked. `file`: the path as given. Rejects as `allowedPath` does. */
export function openReal(real: string, roots: readonly string[], file: string): Promise<FileHandle> {
  return open(real, READ_ONLY).catch(async (error: unknown) => {
    throw systemCodeOf(error) === 'ELOOP'
      ? notAllowed(file, roots)
      : await unreadablePath(file, roots, error);
  });
}

export const LINKS = 'Symbolic links are followed before the check.';

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
        ? 'Set {fileRoots} to the folders that files may be uploaded from.'
        : `${path.isAbsolute(file) ? 'Move' : 'Give its full path, move'} the file, or add its folder to {fileRoots}. ${LINKS}`,
    },
  );
}

/**
 * Makes the error for a path that could not be read. While a root is unavailable, the error has no cause: the file's own
 * ENOENT would say that it is missing.
 */
export async function unreadablePath(
  file: string,
  roots: readonly string[],
  error: unknown,
): Promise<MediaServiceError> {
  return (await sourceBehindAwayRoot(file, roots)) ?? sourceUnreadable(file, error);
}

/** Returns `SourceUnavailable` if a root above the file is unavailable; undefined if all are available. */
export async function sourceBehindAwayRoot(
  file: string,
  roots: readonly string[],
): Promise<MediaServiceError | undefined> {
  const away = await awayRootOf(file, roots);
  if (away === undefined) return undefined;
  return sourceError('SourceUnavailable', [file, `can't be read for now: ${away}`], { hint: MOUNT_ROOT });
}

export const MOUNT_ROOT = 'Mount its disk or network share again: uploads then continue by themselves.';

/** Returns why a root above the file is unavailable: `the folder … does not answer`. Undefined: all are available. */
export async function awayRootOf(file: string, roots: readonly string[]): Promise<string | undefined> {
  for (const root of roots.filter((one) => isInside(path.resolve(file), path.resolve(one)))) {
    const why = await stat(root).then(() => undefined, whyAway);
    if (why !== undefined) return `the folder ${root} ${why}`;
  }
  return undefined;
}

function whyAway(error: unknown): string | undefined {
  if (mayPass(error)) return `does not answer (${systemCodeOf(error) ?? 'unknown reason'})`;
  return systemCodeOf(error) === 'ENOENT' ? 'is not there' : undefined;
}

/**
 * Returns whether a path is one of the folders or below it. `resolved`: the path's links are already followed, and those
 * of the folders are followed, too.
 */
export async function isInsideFolders(
  file: string,
  folders: readonly string[],
  resolved: boolean,
): Promise<boolean> {
  for (const folder of folders) {
    const root = path.resolve(folder);
    const base = resolved ? await realpath(root).catch(() => root) : root;
    if (isInside(file, base)) return true;
  }
  return false;
}

/** The same for one folder, only by the names. */
function isInside(file: string, folder: string): boolean {
  const way = path.relative(folder, file);
  return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

/**
 * Returns the path of a missing file as the disk spells it, if only its accents differ: people type NFC, while macOS and
 * some shares keep NFD. Undefined: there is no such file, or more than one.
 */
export async function otherSpelling(file: string): Promise<string | undefined> {
  if (file.normalize('NFC') === file.normalize('NFD')) return undefined;
  const above = path.dirname(file);
  const isThere = await stat(above).then(
    () => true,
    () => false,
  );
  const folder = isThere ? above : await otherSpelling(above);
  if (folder === undefined) return undefined;
  const wanted = path.basename(file).normalize('NFC');
  // A folder that can't be listed shows no other spelling.
  const names = await readdir(folder).catch((): string[] => []);
  const [name, ...others] = names.filter((one) => one.normalize('NFC') === wanted);
  return name === undefined || others.length > 0 ? undefined : path.join(folder, name);
}
