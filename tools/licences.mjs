import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './folders.mjs';

/** Writes every licence that bundling `packages` requires into one file of `folder`. */
export async function writeLicences(folder, packages) {
  const texts = await Promise.all([...new Set(packages)].map(licenceOf));
  const line = `\n${'-'.repeat(80)}\n\n`;
  const intro = 'Parts of this package are bundled from the following.\n\n';
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), intro + texts.join(line));
}

async function licenceOf(name) {
  const folder = join(root, 'node_modules', name);
  const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  // Apache's licence requires the NOTICE file.
  const entries = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
  const files = entries
    .map(({ name }) => name)
    .filter((file) => /^(licen[cs]e|notice)/i.test(file))
    .sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const text = texts.length === 0 ? 'The package holds no licence text.' : texts.join('\n');
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}

/** The package of a file in node_modules, or undefined for our own files. */
export function packageOfFile(path) {
  return /.*\bnode_modules\/((?:@[^/]+\/)?[^./][^/]*)\//.exec(path)?.[1];
}
