import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { openedPath } from '../disk/opened-path';
import { systemCodeOf } from '../system-error';
import { sourceUnavailable } from '../read-failure';
import { allowedPath, notAllowed } from './allowed-path';
import type { ReadRoots } from './allowed-path';
import { HINT_OF_AWAY_ROOT, unreadablePath } from './away-root';
import { isInsideFolders } from './inside-folders';

/** Opening must not wait for a pipe or device that replaced the file. */
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a file inside the roots for reading. It checks the opened file as well as the path, so that a folder replaced
 * by a link meanwhile gives no access. Rejects as `allowedPath` does.
 */
export async function openAllowed({ roots }: ReadRoots, file: string): Promise<FileHandle> {
  const real = await allowedPath({ roots }, file);
  return openChecked({ real, file, roots }, (opened) => isInsideFolders(opened, roots, true));
}

export interface Opening {
  readonly real: string;
  /** The path as given. */
  readonly file: string;
  readonly roots: readonly string[];
}

/** Opens a real path. `isAllowed` decides about the opened file if that is another one. */
export async function openChecked(
  { real, file, roots }: Opening,
  isAllowed: (opened: string) => Promise<boolean>,
): Promise<FileHandle> {
  const handle = await open(real, READ_ONLY).catch(async (error: unknown) => {
    // A link that replaced it may lead anywhere.
    throw systemCodeOf(error) === 'ELOOP'
      ? notAllowed(file, roots)
      : await unreadablePath(file, roots, error);
  });
  // Undefined: the system does not show it, and the checked path counts.
  const opened = await openedPath(handle, real).catch(() => undefined);
  // `real` was checked already.
  if (opened !== undefined && (opened === real || (await isAllowed(opened)))) return handle;
  await handle.close();
  // Rejects if the path now leads elsewhere, or its root is unavailable. Otherwise the folder was moved while the
  // file was opened, and is back.
  await allowedPath({ roots }, file);
  throw sourceUnavailable(file, 'was not there for a moment', { hint: HINT_OF_AWAY_ROOT });
}
