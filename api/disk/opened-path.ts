import type { FileHandle } from 'node:fs/promises';
import { readlink, realpath, stat } from 'node:fs/promises';

/** Where Linux shows what each open file of this process is. */
export const OPEN_FILES = '/proc/self/fd';

/**
 * The real path of what was opened at `path`: a folder on the way may have become a link between a check of the path and its opening. Linux shows it for the
 * open file itself; elsewhere it is the path's own one if the same file still lies there. Undefined: another file lies there by now.
 */
export async function openedPath(
  handle: FileHandle,
  path: string,
  openFiles = OPEN_FILES,
): Promise<string | undefined> {
  const shown = await readlink(`${openFiles}/${handle.fd}`).catch(() => undefined);
  if (shown !== undefined) return shown;
  const real = await realpath(path).catch(() => undefined);
  const there = real === undefined ? undefined : await stat(real, { bigint: true }).catch(() => undefined);
  const opened = await handle.stat({ bigint: true });
  return there?.ino === opened.ino && there.dev === opened.dev ? real : undefined;
}
