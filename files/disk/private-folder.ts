import { lstat, stat } from 'node:fs/promises';
import { makeFolder } from './write-whole';

/**
 * `own`: only this user can use the folder, wherever it lies. `closed`: nobody else may write to it, but a share or
 * root may own it.
 */
type Privacy = 'own' | 'closed';

const ANYBODY = 0o077;
const WRITE_BY_ALL = 0o002;

/**
 * Creates a folder that only this user can use, and returns why it is less private than it must be: somebody else may
 * have created it before. Undefined: it is private enough. Rejects as the file system does.
 */
export async function whyNotPrivate(
  folder: string,
  must: Privacy,
  uid = process.getuid?.(),
): Promise<string | undefined> {
  await makeFolder(folder);
  const found = must === 'own' ? await lstat(folder) : await stat(folder);
  if (found.isSymbolicLink()) return 'it is a link';
  if (!found.isDirectory()) return 'it is not a folder';
  // Windows has neither owners nor modes.
  if (uid === undefined) return undefined;
  const mode = (found.mode & 0o777).toString(8).padStart(3, '0');
  if (must === 'closed') {
    return (found.mode & WRITE_BY_ALL) === 0 ? undefined : `every user may write to it (mode ${mode})`;
  }
  if (found.uid !== uid) return `it belongs to another user (${found.uid}, this process runs as ${uid})`;
  return (found.mode & ANYBODY) === 0 ? undefined : `it is open to other users (mode ${mode})`;
}
