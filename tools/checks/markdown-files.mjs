import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { filesOf } from '../inputs-hash.mjs';

/**
 * The project's own Markdown files, as paths within its folder.
 *
 * @param {string} folder
 */
export async function markdownFiles(folder) {
  const names = (await readdir(folder)).filter((name) => !/^(\.|dist$|node_modules$)/.test(name));
  const files = await Promise.all(names.map((name) => filesOf(join(folder, name))));
  return files
    .flat()
    .filter((file) => file.endsWith('.md'))
    .map((file) => relative(folder, file));
}
