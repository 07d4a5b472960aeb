import { readFile, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { exists } from './folders.mjs';
import { filesOf } from './inputs-hash.mjs';

const RELATIVE = /^(?:import|export)\b[^;]*?from '(\.[^']+)'|\bimport\("(\.[^"]+)"\)/gm;

/** Removes declarations from dist that no entry of the package references, because nobody could import them. */
export async function pruneDeclarations(dist, entries) {
  const needed = new Set();
  const waiting = entries.map((path) => join(dist, relative('dist', path)));
  while (waiting.length > 0) {
    const file = waiting.pop();
    if (needed.has(file)) continue;
    needed.add(file);
    for (const [, ...specifiers] of (await readFile(file, 'utf8')).matchAll(RELATIVE)) {
      const specifier = specifiers.find((one) => one !== undefined);
      const path = join(dirname(file), specifier.replace(/\.js$/, ''));
      waiting.push((await exists(`${path}.d.ts`)) ? `${path}.d.ts` : join(path, 'index.d.ts'));
    }
  }
  const all = (await filesOf(dist)).filter((path) => path.endsWith('.d.ts'));
  await Promise.all(all.filter((path) => !needed.has(path)).map((path) => rm(path)));
}
