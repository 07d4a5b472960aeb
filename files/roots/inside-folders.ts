import { realpath } from 'node:fs/promises';
import path from 'node:path';

/**
 * Returns whether a file is below one of the folders. `resolved`: the file's links are already followed, and those of
 * the folders are followed, too. A folder is not inside itself.
 */
export async function isInsideFolders(
  file: string,
  folders: readonly string[],
  resolved: boolean,
): Promise<boolean> {
  for (const folder of folders) {
    const root = path.resolve(folder);
    const base = resolved ? await realpath(root).catch(() => root) : root;
    if (isBelow(file, base)) return true;
  }
  return false;
}

/** The same for one folder, only by the names. */
export function isBelow(file: string, folder: string): boolean {
  const way = path.relative(folder, file);
  return way !== '' && way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

/** Returns the folder of an absolute path; undefined for any other text. */
export function folderOf(file: string): string | undefined {
  return path.isAbsolute(file) ? path.dirname(file) : undefined;
}
