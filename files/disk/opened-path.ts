import type { FileHandle } from 'node:fs/promises';
import { readlink, realpath, stat } from 'node:fs/promises';

/** Where Linux shows the path of each open file of this process. */
export const OPEN_FILES = '/proc/self/fd';

/**
 * Returns the real path of what was opened at `path`. A folder on the way may have become a link after the path was
 * checked. Linux shows the real path of the open file itself. Other systems use the path's real path if the same file
 * is still there. Undefined: another file is there now.
 */
export async function openedPath(
  handle: FileHandle,
  path: string,
  openFiles = OPEN_FILES,
): Promise<string | undefined> {
  // Undefined: this system has no such links, or the file is gone. The code below decides.
  const shown = await readlink(`${openFiles}/${handle.fd}`).catch(() => undefined);
  if (shown !== undefined) return shown;
  const real = await realpath(path).catch(() => undefined);
  // Undefined: the file is gone again.
  const there = real === undefined ? undefined : await stat(real, { bigint: true }).catch(() => undefined);
  const opened = await handle.stat({ bigint: true });
  return there?.ino === opened.ino && there.dev === opened.dev ? real : undefined;
}
