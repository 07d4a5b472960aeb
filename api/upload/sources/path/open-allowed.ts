import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { openedPath } from '../../../disk/opened-path';
import type { PathSource } from '../source';
import type { SourceAccess } from '../source-access';
import { sourceUnavailable, systemCodeOf } from '../source-failure';
import { allowedPath, notAllowed } from './allowed-path';
import { HINT_OF_AWAY_ROOT, unreadablePath } from './away-root';
import { isInsideFolders } from './inside-folders';
import { spoolCopyOf } from './spool-copy';

/** A pipe or device in the file's place must not be waited for. */
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a file inside the roots for reading. What was opened is checked as well as its path: a folder that is swapped for a link in between leads nowhere. Rejects
 * as `allowedPath`.
 */
export async function openAllowed({ roots }: Pick<SourceAccess, 'roots'>, file: string): Promise<FileHandle> {
  const real = await allowedPath({ roots }, file);
  return openChecked({ real, file, roots }, (opened) => isInsideFolders(opened, roots, true));
}

/** The same for a source, which may also be a copy that an upload made in the spool folder. */
export async function openPathSource(
  access: Pick<SourceAccess, 'roots' | 'spoolDir'>,
  source: PathSource,
): Promise<FileHandle> {
  const { path: file } = source;
  const { roots } = access;
  const real = await spoolCopyOf(access, source);
  if (real === undefined) return openAllowed({ roots }, file);
  return openChecked({ real, file, roots }, async (opened) => opened === real);
}

interface Opening {
  readonly real: string;
  /** As it was given. */
  readonly file: string;
  readonly roots: readonly string[];
}

async function openChecked(
  { real, file, roots }: Opening,
  isAllowed: (opened: string) => Promise<boolean>,
): Promise<FileHandle> {
  const handle = await open(real, READ_ONLY).catch(async (error: unknown) => {
    // A link in its place may lead anywhere.
    throw systemCodeOf(error) === 'ELOOP'
      ? notAllowed(file, roots)
      : await unreadablePath(file, roots, error);
  });
  const opened = await openedPath(handle, real).catch(() => undefined);
  // `real` was checked already.
  if (opened !== undefined && (opened === real || (await isAllowed(opened)))) return handle;
  await handle.close();
  // Rejects where the path leads elsewhere by now, or its root is away. Otherwise it was: the folder was moved while the file was opened, and is back.
  await allowedPath({ roots }, file);
  throw sourceUnavailable(file, 'was not there for a moment', { hint: HINT_OF_AWAY_ROOT });
}
