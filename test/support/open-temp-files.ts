import { readdir, readlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OPEN_FILES = '/proc/self/fd';

/** Temporary files that this very process has open, where the system tells (Linux): others make some of their own at any time. */
export async function openTempFiles(): Promise<string[]> {
  const names = await readdir(OPEN_FILES).catch(() => []);
  const paths = await Promise.all(names.map((name) => readlink(join(OPEN_FILES, name)).catch(() => '')));
  return paths.filter((path) => path.startsWith(join(tmpdir(), '/')));
}
