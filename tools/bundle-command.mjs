import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { build } from 'esbuild';
import { filesOf } from './inputs-hash.mjs';
import { packageOfFile } from './licences.mjs';

/** How the compiler writes an import. */
const IMPORT = /^const (\w+_\d+) = ((?:__import\w+\()?require\("[^"]+"\)\)?);$/gm;
/** The rooms in that file: none with a class or a state that other rooms share. */
const INSIDE = /^(cli|settings|api\/options)\//;
/** How it writes `export … from`, which must stay as it is: Node looks for it to find the names of a module. */
const EXPORT_FROM = 'enumerable: true, get: function ()';

/**
 * Lets a command read and compile only what it needs. Each compiled module loads another one when a name of it is first
 * used, and the room cli/ is one file with commander. Returns the packages in it.
 */
export async function bundleCommand(dist) {
  const compiled = (await filesOf(dist)).filter((path) => path.endsWith('.js'));
  await Promise.all(compiled.map(importLate));
  const room = join(dist, 'cli', sep);
  const main = join(room, 'main.js');
  const { outputFiles, metafile } = await build({
    entryPoints: [main],
    plugins: [{ name: 'only-inside', setup: (esbuild) => onlyInside(esbuild, dist) }],
    ...{ bundle: true, write: false, metafile: true, platform: 'node', format: 'cjs', target: 'node22' },
    // Lines that are short enough for the stack of an error.
    ...{ minifySyntax: true, minifyWhitespace: true, lineLimit: 200, legalComments: 'none' },
  });
  await Promise.all(compiled.filter((path) => path.startsWith(room)).map((path) => rm(path)));
  await writeFile(main, outputFiles[0].contents);
  return [...new Set(Object.keys(metafile.inputs).flatMap((path) => packageOfFile(path) ?? []))];
}

async function importLate(path) {
  const code = await readFile(path, 'utf8');
  const names = [...code.matchAll(IMPORT)].map(([, name]) => name);
  if (names.length === 0 || code.includes(EXPORT_FROM)) return;
  const late = code.replace(IMPORT, 'let $1_; const $1 = () => ($1_ ??= $2);');
  await writeFile(path, late.replace(new RegExp(`\\b(${names.join('|')})\\.`, 'g'), '($1()).'));
}

function onlyInside(esbuild, dist) {
  esbuild.onResolve({ filter: /./ }, ({ path, importer, kind }) => {
    if (kind === 'entry-point' || path === 'commander') return undefined;
    // Commander needs it for commands that are programs of their own. We have none.
    if (path === 'node:child_process') return { path, namespace: 'unused' };
    if (!path.startsWith('.')) return { path, external: true };
    if (!importer.startsWith(dist)) return undefined;
    const module = relative(dist, resolve(dirname(importer), path))
      .split(sep)
      .join('/');
    return INSIDE.test(module) ? undefined : { path: `../${module}`, external: true };
  });
  esbuild.onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'export default {};' }));
}
