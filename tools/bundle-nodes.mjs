import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { root } from './folders.mjs';
import { packageOfFile } from './licences.mjs';

/** What n8n reads at its start: the forms of nodes and credentials. */
const FORMS = 'nodes/loaded-by-n8n.js';
/** What they do, with the libraries for it, in the same folder. */
const WORK = 'nodes/loaded-at-first-use.js';
const IMPORT_OF_ROOM = /^import ([^;"]*?) from "(\w+\/[^"]*\.ts)";$/gm;
const ROOMS_OF_FORMS = /^(nodes\/|credentials\/|n8n\/form-fields)/;
const SETTINGS = {
  bundle: true,
  // Also shortens names, because n8n reads the file at every start. Exported names stay.
  minify: true,
  // Inside n8n, a library must not write to the console.
  drop: ['console'],
  // Leaves out development checks and warnings of libraries.
  define: { 'process.env.NODE_ENV': '"production"' },
  external: ['n8n-workflow'],
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  mainFields: ['module', 'main'],
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
};

/**
 * Puts every node and credential, with all our code that they need, into two files, so that n8n reads one file at its
 * start instead of a hundred. The second file is loaded once, when a node first works. Each has the code of all nodes,
 * because classes and the tokens in memory must exist once. The files that the manifest names only point to the first
 * file. Returns the packages in them.
 */
export async function bundleNodes(dist, manifest) {
  const entries = [...manifest.n8n.credentials, ...manifest.n8n.nodes].map((path) => relative('dist', path));
  const forms = entries.map((path) => `export { ${classOf(path)} } from './${path.replace(/\.js$/, '')}';`);

  const used = await usedOfOtherRooms(forms);
  const work = used.map(([module, name]) => `export { ${name} } from './${module}';`);
  const { metafile } = await bundle(work, { outfile: join(dist, WORK) });
  const require = createRequire(import.meta.url);
  const late = workLoadsLate(used, require(join(dist, WORK)));
  // Another build in this process reads its own.
  delete require.cache[join(dist, WORK)];
  await bundle(forms, { plugins: [late], outfile: join(dist, FORMS) });
  await Promise.all(entries.map((path) => writePointer(dist, path)));
  return [...new Set(Object.keys(metafile.inputs).flatMap((path) => packageOfFile(path) ?? []))];
}

function bundle(exported, settings) {
  const stdin = { contents: exported.join('\n'), resolveDir: root, loader: 'ts' };
  return build({ stdin, ...SETTINGS, ...settings });
}

/** What nodes and credentials use of other rooms: module and name. The bundler refuses a name of two modules. */
async function usedOfOtherRooms(forms) {
  const {
    outputFiles: [{ text }],
  } = await bundle(forms, {
    // Only import statements say which names are left after the bundler has removed unused ones.
    ...{ format: 'esm', minify: false, write: false },
    plugins: [otherRooms((path) => ({ path, external: true }))],
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
 * start. The first read of one loads the second file, once for all modules. Plain data needs no load: forms show it.
 */
function workLoadsLate(used, work) {
  const memberOf = (name) =>
    isData(work[name])
      ? `${name}: ${JSON.stringify(work[name])}`
      : `get ${name}() { return require('./${basename(WORK)}').${name}; }`;
  return otherRooms(
    (path) => ({ path, namespace: 'work' }),
    ({ path }) => {
      const members = used.flatMap(([module, name]) => (module === path ? [memberOf(name)] : []));
      return { contents: `module.exports = { __esModule: true, ${members.join(', ')} };` };
    },
  );
}

function isData(value) {
  if (typeof value !== 'object' || value === null)
    return ['string', 'number', 'boolean'].includes(typeof value);
  const isPlain = [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value));
  return isPlain && Object.values(value).every(isData);
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
      if (load !== undefined) esbuild.onLoad({ filter: /.*/, namespace: 'work' }, load);
    },
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
