import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { root } from './folders.mjs';
import { libraryFrom, packageOf, packageOfFile, shrink } from './bundle-libraries.mjs';

const BUNDLE = 'nodes/loaded-by-n8n.js';
export const BUNDLE_SETTINGS = {
  bundle: true,
  // Also shortens names, because n8n reads the file at every start. Exported names stay.
  minify: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
};

/**
 * Puts every node and credential, with all our code that they need, into one file, so that n8n reads one file at its
 * start instead of a hundred. It is one file for all, because classes and the tokens in memory must exist once.
 * Libraries stay outside and are loaded at their first use. The files that the manifest names only point to the
 * bundle.
 */
export async function bundleNodes(dist, imported) {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const entries = [...manifest.n8n.credentials, ...manifest.n8n.nodes].map((path) => relative('dist', path));
  await Promise.all(['nodes', 'credentials', 'n8n'].map((room) => rm(join(dist, room), { recursive: true })));
  await bundle(dist, entries, { imported, manifest });
  await Promise.all(entries.map((path) => writePointer(dist, path)));
}

async function bundle(dist, entries, { imported, manifest }) {
  const exported = entries.map(
    (path) => `export { ${classOf(path)} } from './${path.replace(/\.js$/, '')}';`,
  );
  const installed = {
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
  };
  const { metafile } = await build({
    stdin: { contents: exported.join('\n'), resolveDir: root, loader: 'ts' },
    outfile: join(dist, BUNDLE),
    ...BUNDLE_SETTINGS,
    external: Object.keys(installed),
    plugins: [librariesLoadLate(imported)],
  });
  await shrink(join(dist, BUNDLE));
  const foreign = Object.keys(metafile.inputs).filter((path) => packageOfFile(path) !== undefined);
  if (foreign.length > 0)
    throw new Error(`${BUNDLE} would hold ${foreign[0]}, whose licence nobody carries.`);
}

/** Each used name of a library is a getter. The first read of one loads the library. */
function librariesLoadLate(imported) {
  const libraries = [...new Set([...imported.keys()].map(packageOf))];
  return {
    name: 'libraries-load-late',
    setup(esbuild) {
      const filter = new RegExp(`^(${libraries.join('|')})(/|$)`);
      esbuild.onResolve({ filter }, ({ path }) => ({ path, namespace: 'library' }));
      esbuild.onResolve({ filter: /\/libraries\// }, ({ path }) => ({ path, external: true }));
      esbuild.onLoad({ filter: /.*/, namespace: 'library' }, ({ path }) => {
        const load = `require('${libraryFrom(dirname(BUNDLE), path)}')`;
        const getters = [...(imported.get(path) ?? [])].map(
          (name) => `get ${name}() { return ${load}.${name}; }`,
        );
        return { contents: `module.exports = { __esModule: true, ${getters.join(', ')} };`, loader: 'js' };
      });
    },
  };
}

async function writePointer(dist, path) {
  const target = relative(dirname(path), BUNDLE)
    .split(sep)
    .join('/')
    .replace(/^(?!\.)/, './');
  const name = classOf(path);
  await mkdir(dirname(join(dist, path)), { recursive: true });
  await writeFile(join(dist, path), `"use strict";\nexports.${name} = require("${target}").${name};\n`);
}

/** n8n derives the class name from the file name. */
function classOf(path) {
  return basename(path).split('.')[0];
}
