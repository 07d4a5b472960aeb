import { readdir, readlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OPEN_FILES = '/proc/self/fd';

/**
 * Temporary files that this process has open, if the system lists them (Linux). Other processes may create theirs at
 * any time.
 */
export async function openTempFiles(): Promise<string[]> {
  const names = await readdir(OPEN_FILES).catch(() => []);
  const paths = await Promise.all(names.map((name) => readlink(join(OPEN_FILES, name)).catch(() => '')));
  return paths.filter((path) => path.startsWith(join(tmpdir(), '/')));
}
