import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { filesOf } from '../inputs-hash.mjs';

/**
 * The project's own files whose names end so, as relative paths.
 * @param {string} folder
 * @param {string} end
 */
export async function filesWith(folder, end) {
  const names = (await readdir(folder)).filter((name) => !/^(\.|dist$|node_modules$)/.test(name));
  const files = await Promise.all(names.map((name) => filesOf(join(folder, name))));
  return files
    .flat()
    .filter((file) => file.endsWith(end))
    .map((file) => relative(folder, file));
}
