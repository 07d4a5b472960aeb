import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** One hash over the paths and contents of files and folders, in a fixed order. */
export async function hashOf(base, names) {
  const hash = createHash('sha256');
  for (const name of names) {
    for (const path of await filesOf(join(base, name))) {
      hash
        .update(`${relative(base, path)}\0`)
        .update(await readFile(path))
        .update('\0');
    }
  }
  return hash.digest('hex');
}

/** All files in a folder, sorted. For a file, only the file itself. If nothing exists, empty. */
export async function filesOf(path) {
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch((error) => {
    if (error.code === 'ENOTDIR') return undefined;
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (entries === undefined) return [path];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
