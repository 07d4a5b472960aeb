import { readFile, readdir, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { minify } from '@swc/core';
import * as terser from 'terser';
import { build } from 'esbuild';
import { root } from './folders.mjs';
import { filesOf } from './inputs-hash.mjs';

/** Libraries that dist contains, one file each, because n8n installs only `dependencies`. */
const BUNDLED = ['content-disposition', 'luxon', 'csv-stringify', 'mustache'];

/**
 * Imports in `dist`, by package. Types may stay imports, because declarations are used only with dev packages
 * installed.
 */
const REQUIRED = /\brequire\("([^".][^"]*)"\)/g;
const IMPORTED = /^import (?!type\b)([^;]*?) from '([^'.][^']*)';/gms;
const BY_NAME = /^\{(.*)\}$/s;

/**
 * The names that the sources of `rooms` import from the bundled libraries, by specifier. Only these are bundled, so an
 * import without names throws.
 */
export async function importedOfLibraries(rooms) {
  const imported = new Map();
  const sources = (await Promise.all(rooms.map((room) => filesOf(join(root, room))))).flat();
  for (const file of sources.filter((path) => path.endsWith('.ts'))) {
    for (const [, clause, specifier] of (await readFile(file, 'utf8')).matchAll(IMPORTED)) {
      if (!BUNDLED.includes(packageOf(specifier))) continue;
      const [, list] = BY_NAME.exec(clause) ?? [];
      if (list === undefined) throw new Error(`${relative(root, file)}: import ${specifier} by name.`);
      const names = list.split(',').map((name) => name.trim().split(' as ')[0]);
      const values = names.filter((name) => name !== '' && !name.startsWith('type '));
      imported.set(specifier, new Set([...(imported.get(specifier) ?? []), ...values]));
    }
  }
  return imported;
}

/** Path of a bundled library's file in dist, for a `require` in `folder` of dist. */
export function libraryFrom(folder, specifier) {
  const path = relative(folder, join('libraries', `${packageOf(specifier)}.js`));
  return path
    .split(sep)
    .join('/')
    .replace(/^(?!\.)/, './');
}

/**
 * Writes the bundled libraries into `dist/libraries`, makes the files of `dist` require them, and returns the packages
 * in them. Throws if a file imports a package that an installed package would not have.
 */
export async function bundleLibraries(dist, imported) {
  await pointToLibraries(dist);
  const libraries = [...new Set([...imported.keys()].map(packageOf))];
  const packages = await Promise.all(libraries.map((name) => bundleLibrary(dist, name, imported)));
  return packages.flat();
}

async function pointToLibraries(dist) {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  const installed = new Set(Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }));
  for (const file of (await filesOf(dist)).filter((path) => path.endsWith('.js'))) {
    const text = await readFile(file, 'utf8');
    const specifiers = [...text.matchAll(REQUIRED)].map(([, specifier]) => specifier);
    const foreign = specifiers.filter(
      (one) => !isBuiltin(one) && !BUNDLED.includes(packageOf(one)) && !installed.has(packageOf(one)),
    );
    if (foreign.length > 0) {
      throw new Error(
        `${relative(dist, file)} imports ${foreign.join(', ')}: neither in package.json nor bundled.`,
      );
    }
    if (!specifiers.some((one) => BUNDLED.includes(packageOf(one)))) continue;
    const folder = dirname(relative(dist, file));
    const pointed = text.replaceAll(REQUIRED, (call, specifier) =>
      BUNDLED.includes(packageOf(specifier)) ? `require("${libraryFrom(folder, specifier)}")` : call,
    );
    await writeFile(file, pointed);
  }
}

/** One file per library, even with several entries, so that their shared state exists once. */
async function bundleLibrary(dist, name, imported) {
  const own = [...imported].filter(([specifier]) => packageOf(specifier) === name);
  const entry = own.map(([specifier, names]) => `export { ${[...names].join(', ')} } from '${specifier}';`);
  const outfile = join(dist, 'libraries', `${name}.js`);
  const { metafile } = await build({
    stdin: { contents: entry.join('\n'), resolveDir: root },
    outfile,
    bundle: true,
    minify: true,
    // Inside n8n, a library must not write to the console.
    drop: ['console'],
    // Leaves out development checks and warnings of libraries.
    define: { 'process.env.NODE_ENV': '"production"' },
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  });
  await shrink(outfile);
  return [...new Set(Object.keys(metafile.inputs).flatMap((path) => packageOfFile(path) ?? []))];
}

/** Makes a bundle about 4 % smaller than its bundler does. Exported names stay. */
export async function shrink(file) {
  const { code } = await minify(await readFile(file, 'utf8'), {
    compress: { passes: 3, toplevel: true, ecma: 2020 },
    mangle: { toplevel: true },
    ecma: 2020,
    module: false,
  });
  // The second minifier shortens the first one's output further.
  const shorter = await terser.minify(code, {
    compress: { passes: 3, toplevel: true, ecma: 2020 },
    mangle: { toplevel: true },
    ecma: 2020,
  });
  await writeFile(file, shorter.code);
}

/** Writes every licence that bundling `packages` requires into one file of `folder`. */
export async function writeLicences(folder, packages) {
  const texts = await Promise.all([...new Set(packages)].map(licenceOf));
  const line = `\n${'-'.repeat(80)}\n\n`;
  const intro = 'Parts of this package are bundled from the following.\n\n';
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), intro + withApacheOnce(texts).join(line));
}

const APACHE_2 = /Apache License\s+Version 2\.0, January 2004[\s\S]*?END OF TERMS AND CONDITIONS/;

/** Apache's terms have 10 kB. The first text contains them, and the others refer to it. */
function withApacheOnce(texts) {
  const first = texts.find((text) => APACHE_2.test(text));
  if (first === undefined) return texts;
  const [terms] = APACHE_2.exec(first);
  const reference = `Apache License, Version 2.0: its terms are above, with ${first.split(' ')[0]}.`;
  return texts.map((text) => (text === first ? text : text.replace(terms, reference)));
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

function isBuiltin(specifier) {
  return specifier.startsWith('node:') || builtinModules.includes(specifier);
}

/** The package of a specifier such as `@scope/name/entry`. */
export function packageOf(specifier) {
  const [first, second] = specifier.split('/');
  return specifier.startsWith('@') ? `${first}/${second}` : first;
}

/** The package of a file in node_modules, or undefined for our own files. */
export function packageOfFile(path) {
  return /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}
