import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..');
const DIST = join(ROOT, 'packages', 'media-service', 'dist');

/** Imports of the product's compiled files: nothing else checks these, because scripts have no types. */
function importsOf(script: string) {
  const text = readFileSync(script, 'utf8');
  return [...text.matchAll(/import \{([^}]*)\} from '(\.[^']*)'/g)].flatMap(
    ([, names = '', specifier = '']) => {
      const path = join(dirname(script), specifier);
      if (!path.startsWith(DIST)) return [];
      const source = join(ROOT, relative(DIST, path).replace(/\.js$/, '.ts'));
      const imported = names.split(',').flatMap((name) => name.trim().split(' as ')[0] || []);
      return { script: relative(ROOT, script), path: source, names: imported };
    },
  );
}

function scriptsIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[cm]js$/.test(name))
    .map((name) => join(ROOT, folder, name));
}

const IMPORTS = ['bench', 'tools'].flatMap(scriptsIn).flatMap(importsOf);

describe('a script that uses compiled files', () => {
  it('is found', () => {
    expect(IMPORTS.map(({ script }) => script)).toContain('bench/part/clients/ours.mjs');
  });

  it.each(IMPORTS)('$script imports what $path exports', ({ path, names }) => {
    expect(existsSync(path)).toBe(true);
    const source = readFileSync(path, 'utf8');
    const missing = names.filter((name) => !new RegExp(`export .*\\b${name}\\b`).test(source));
    expect(missing).toEqual([]);
  });
});
