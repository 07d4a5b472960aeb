import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { root } from './folders.mjs';
import { packageOfFile } from './licences.mjs';

/** What n8n reads at its start: the forms of nodes and credentials, as JSON. */
const FORMS = 'nodes/loaded-by-n8n.js';
/** All code of nodes and credentials, with the libraries for it, in the same folder. */
const WORK = 'nodes/loaded-at-first-use.js';
const SETTINGS = {
  bundle: true,
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
 * Puts every node and credential, with all our code that they need, into one file, which is loaded when one of their
 * methods is first called. What n8n reads at its start is a second file, made of the first: the forms as JSON, and
 * methods that call those of the first. The files that the manifest names only point to it. Returns the packages in the
 * first file.
 */
export async function bundleNodes(dist, manifest) {
  const entries = [...manifest.n8n.credentials, ...manifest.n8n.nodes].map((path) => relative('dist', path));
  const contents = entries.map(
    (path) => `export { ${classOf(path)} } from './${path.replace(/\.js$/, '')}';`,
  );
  const stdin = { contents: contents.join('\n'), resolveDir: root, loader: 'ts' };
  const { metafile } = await build({ stdin, ...SETTINGS, outfile: join(dist, WORK) });

  const require = createRequire(import.meta.url);
  const work = require(join(dist, WORK));
  // Another build in this process reads its own.
  delete require.cache[join(dist, WORK)];
  await writeFile(join(dist, FORMS), formsOf(entries.map((path) => [classOf(path), work[classOf(path)]])));
  await Promise.all(entries.map((path) => writePointer(dist, path)));
  return [...new Set(Object.keys(metafile.inputs).flatMap((path) => packageOfFile(path) ?? []))];
}

/** The first call of any method loads the other file. Later ones use the same object. */
const LATE = `const made = {};
const late = (name) => (made[name] ??= new (require('./${basename(WORK)}')[name])());`;

function formsOf(classes) {
  const made = classes.map(([name, Class]) => {
    const instance = new Class();
    const methods = Object.getOwnPropertyNames(Class.prototype).filter((key) => key !== 'constructor');
    const members = [...Object.keys(instance), ...methods].map(
      (key) => `${key}: ${shown(instance[key], `late('${name}').${key}`)}`,
    );
    return `exports.${name} = class { constructor() { Object.assign(this, { ${members.join(', ')} }); } };`;
  });
  return ['"use strict";', LATE, ...made, ''].join('\n');
}

/** JavaScript for a value: JSON, which V8 reads faster than code, or a method that calls the one at \`path\`. */
function shown(value, path) {
  if (typeof value === 'function') return `function (...all) { return ${path}.apply(this, all); }`;
  if (isData(value)) return `JSON.parse('${quoted(JSON.stringify(value))}')`;
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new Error(`${path} is not plain data.`);
  const members = Object.entries(value).map(([key, one]) => `${key}: ${shown(one, `${path}.${key}`)}`);
  return `{ ${members.join(', ')} }`;
}

function isData(value) {
  if (typeof value !== 'object' || value === null)
    return ['string', 'number', 'boolean', 'undefined'].includes(typeof value);
  const isPlain = [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value));
  return isPlain && Object.values(value).every(isData);
}

/** Only ASCII, of which V8 keeps one byte each. */
function quoted(json) {
  const ascii = json.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return ascii.replace(/[\\']/g, '\\$&');
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
