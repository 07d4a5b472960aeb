import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { root } from './folders.mjs';
import { libraryFrom, packageOf, packageOfFile, shrink } from './bundle-libraries.mjs';

/** What n8n reads at its start: the forms of nodes and credentials. */
const FORMS = 'nodes/loaded-by-n8n.js';
/** What they do, in the same folder. */
const WORK = 'nodes/loaded-at-first-use.js';
const IMPORT_OF_ROOM = /^import ([^;"]*?) from "(\w+\/[^"]*\.ts)";$/gm;
const ROOMS_OF_FORMS = /^(nodes|credentials)\//;
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
 * Puts every node and credential, with all our code that they need, into two files, so that n8n reads one file at its
 * start instead of a hundred. The second file is loaded once, when a node first works. Each has the code of all nodes,
 * because classes and the tokens in memory must exist once. Libraries stay outside and are loaded at their first use.
 * The files that the manifest names only point to the first file.
 */
export async function bundleNodes(dist, imported) {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const entries = [...manifest.n8n.credentials, ...manifest.n8n.nodes].map((path) => relative('dist', path));
  await Promise.all(['nodes', 'credentials', 'n8n'].map((room) => rm(join(dist, room), { recursive: true })));
  const installed = {
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
  };
  const settings = { ...BUNDLE_SETTINGS, external: Object.keys(installed) };
  const libraries = librariesLoadLate(imported);
  const forms = entries.map((path) => `export { ${classOf(path)} } from './${path.replace(/\.js$/, '')}';`);

  const used = await usedOfOtherRooms(forms, { ...settings, plugins: [libraries] });
  const work = used.map(([module, name]) => `export { ${name} } from './${module}';`);
  await bundle(work, { ...settings, plugins: [libraries], outfile: join(dist, WORK) });
  const require = createRequire(import.meta.url);
  const late = workLoadsLate(used, require(join(dist, WORK)));
  // Another build in this process reads its own.
  delete require.cache[join(dist, WORK)];
  await bundle(forms, { ...settings, plugins: [libraries, late], outfile: join(dist, FORMS) });
  for (const file of [FORMS, WORK]) await shrink(join(dist, file));
  await Promise.all(entries.map((path) => writePointer(dist, path)));
}

async function bundle(exported, settings) {
  const { metafile, outputFiles } = await build({
    stdin: { contents: exported.join('\n'), resolveDir: root, loader: 'ts' },
    ...settings,
  });
  const foreign = Object.keys(metafile.inputs).filter((path) => packageOfFile(path) !== undefined);
  if (foreign.length > 0)
    throw new Error(`The nodes would hold ${foreign[0]}, whose licence is not in the package.`);
  return outputFiles;
}

/** What nodes and credentials use of other rooms: module and name. The bundler refuses a name of two modules. */
async function usedOfOtherRooms(forms, settings) {
  const [{ text }] = await bundle(forms, {
    ...settings,
    // Only import statements say which names are left after the bundler has removed unused ones.
    ...{ format: 'esm', minify: false, write: false },
    plugins: [...settings.plugins, otherRooms((path) => ({ path, external: true }))],
  });
  const used = new Set();
  for (const [statement, list, module] of text.matchAll(IMPORT_OF_ROOM)) {
    if (!/^\{.*\}$/s.test(list))
      throw new Error(`Nodes import from other rooms by name, unlike ${statement}`);
    const names = list.slice(1, -1).split(',');
    for (const name of names) used.add(`${module} ${name.trim().split(' as ')[0]}`);
  }
  return [...used].map((key) => key.split(' '));
}

/**
 * Each used function or class is a getter of its module: every file that imports a module copies its getters at n8n's
 * start. The first read of one loads the second file, once for all modules.
 */
function workLoadsLate(used, work) {
  return otherRooms(
    (module) => ({ path: module, namespace: 'work' }),
    ({ path }) => {
      if (path === WORK) {
        return { contents: `let loaded; exports.work = () => (loaded ??= require('./${basename(WORK)}'));` };
      }
      const names = used.flatMap(([module, name]) => (module === path ? [[name, work[name]]] : []));
      return lateModule(`require('${WORK}').work()`, names);
    },
  );
}

/** Decides where an import of another room's module leads. */
function otherRooms(resolved, load) {
  return {
    name: 'other-rooms',
    setup(esbuild) {
      esbuild.onResolve({ filter: /^\./ }, async ({ path, namespace, pluginData, ...from }) => {
        if (namespace === 'work') return { path, external: true };
        if (pluginData === 'resolved') return undefined;
        const found = await esbuild.resolve(path, { ...from, pluginData: 'resolved' });
        const module = relative(root, found.path).split(sep).join('/');
        if (found.external || ROOMS_OF_FORMS.test(module) || !module.endsWith('.ts')) return found;
        return resolved(module);
      });
      esbuild.onResolve({ filter: new RegExp(`^${WORK}$`) }, ({ path }) => ({ path, namespace: 'work' }));
      if (load !== undefined) esbuild.onLoad({ filter: /.*/, namespace: 'work' }, load);
    },
  };
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
        const names = [...(imported.get(path) ?? [])];
        return lateModule(
          `require('${libraryFrom(dirname(FORMS), path)}')`,
          names.map((name) => [name]),
        );
      });
    },
  };
}

/** Texts, numbers and lists of them need no load: forms show them. */
function lateModule(load, entries) {
  const members = entries.map(([name, value]) =>
    [value].flat().every((one) => ['string', 'number'].includes(typeof one))
      ? `${name}: ${JSON.stringify(value)}`
      : `get ${name}() { return load().${name}; }`,
  );
  return {
    contents: `let loaded; const load = () => (loaded ??= ${load}); module.exports = { __esModule: true, ${members.join(', ')} };`,
    loader: 'js',
  };
}

async function writePointer(dist, path) {
  const target = relative(dirname(path), FORMS)
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
