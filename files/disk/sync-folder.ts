import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { systemCodeOf } from '../system-error';

/** How a system says that it can't sync this folder. Any other error is one of the disk. */
const NOT_POSSIBLE = new Set([
  ...['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EBADF'],
  // A folder without the right to read it, and every folder on Windows.
  ...['EACCES', 'EPERM', 'EISDIR'],
]);

/** Makes the names in a folder survive a crash of the machine, if the system can do that. Rejects if its disk fails. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(ignoreNotPossible);
  if (handle === undefined) return;
  try {
    await handle.sync().catch(ignoreNotPossible);
  } finally {
    await handle.close();
  }
}

function ignoreNotPossible(error: unknown): undefined {
  if (!NOT_POSSIBLE.has(systemCodeOf(error) ?? '')) throw error;
  return undefined;
}

/** Creates a folder that only this user can use, if it is missing. Rejects if the folder above it is missing. */
export async function makeOneFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
    await syncFolder(path.dirname(folder));
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  }
}

/**
 * Creates a folder that only this user can use, with its missing parents. Once it resolves, they survive a crash of the
 * machine.
 */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const topmost = path.resolve(first);
  for (let made = path.resolve(folder); ; made = path.dirname(made)) {
    await syncFolder(path.dirname(made));
    if (made === topmost || made === path.dirname(made)) return;
  }
}
