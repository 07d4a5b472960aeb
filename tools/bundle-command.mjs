import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { build } from 'esbuild';
import { filesOf } from './inputs-hash.mjs';
import { packageOfFile } from './licences.mjs';

/** How the compiler writes an import. */
const IMPORT = /^const (\w+_\d+) = ((?:__import\w+\()?require\("[^"]+"\)\)?);$/gm;
/** The rooms in that file: none with a class or a state that other rooms share. */
const INSIDE = /^(cli|settings|api\/options)\//;

/**
 * Lets a command read and compile only what it needs: the room cli/ is one file with commander and the rooms that it
 * needs at once, and each module in it loads another one when a name of it is first used. Every other room loads what it
 * imports at once, so that a worker has all its code when it starts. Returns the packages in the file.
 */
export async function bundleCommand(dist) {
  const room = join(dist, 'cli');
  const main = join(room, 'main.js');
  const { outputFiles, metafile } = await build({
    entryPoints: [main],
    plugins: [{ name: 'command', setup: (esbuild) => bundleInside(esbuild, dist) }],
    ...{ bundle: true, write: false, metafile: true, platform: 'node', format: 'cjs', target: 'node22' },
    // Lines that are short enough for the stack of an error.
    ...{ minifySyntax: true, minifyWhitespace: true, lineLimit: 200, legalComments: 'none' },
  });
  const compiled = (await filesOf(room)).filter((path) => path.endsWith('.js'));
  await Promise.all(compiled.map((path) => rm(path)));
  await writeFile(main, outputFiles[0].contents);
  return [...new Set(Object.keys(metafile.inputs).flatMap((path) => packageOfFile(path) ?? []))];
}

function bundleInside(esbuild, dist) {
  const moduleOf = (path) => relative(dist, path).split(sep).join('/');
  esbuild.onResolve({ filter: /./ }, ({ path, importer, kind }) => {
    if (kind === 'entry-point' || path === 'commander') return undefined;
    // Commander needs it for commands that are programs of their own. We have none.
    if (path === 'node:child_process') return { path, namespace: 'unused' };
    if (!path.startsWith('.')) return { path, external: true };
    if (!importer.startsWith(dist)) return undefined;
    const module = moduleOf(resolve(dirname(importer), path));
    return INSIDE.test(module) ? undefined : { path: `../${module}`, external: true };
  });
  esbuild.onLoad({ filter: /\.js$/ }, async ({ path }) =>
    INSIDE.test(moduleOf(path)) ? { contents: importingLate(await readFile(path, 'utf8')) } : undefined,
  );
  esbuild.onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'export default {};' }));
}

function importingLate(code) {
  const names = [...code.matchAll(IMPORT)].map(([, name]) => name);
  if (names.length === 0) return code;
  const late = code.replace(IMPORT, 'let $1_; const $1 = () => ($1_ ??= $2);');
  return late.replace(new RegExp(`\\b(${names.join('|')})\\.`, 'g'), '($1()).');
}
