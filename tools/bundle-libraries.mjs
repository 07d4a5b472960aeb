import { readFile, readdir, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { root } from './folders.mjs';
import { filesOf } from './inputs-hash.mjs';

/** Libraries that go into our own files: inside n8n only `dependencies` are installed. */
const BUNDLED = ['luxon'];

/** Imports of `dist`, by package: a type may stay outside, since declarations are read where dev packages exist. */
const REQUIRED = /\brequire\("([^".][^"]*)"\)/g;

/**
 * Puts the bundled libraries into the files of `dist` that import them and returns their names. Throws when a file
 * imports a package that no installation of ours would hold.
 */
export async function bundleLibraries(dist) {
  const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  );
  const installed = new Set(Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }));
  const withLibrary = [];
  for (const file of (await filesOf(dist)).filter((path) => path.endsWith('.js'))) {
    const packages = await packagesOf(file);
    const foreign = packages.filter((name) => !installed.has(name) && !BUNDLED.includes(name));
    if (foreign.length > 0) {
      throw new Error(
        `${relative(dist, file)} imports ${foreign.join(', ')}: neither in package.json nor bundled.`,
      );
    }
    if (packages.some((name) => BUNDLED.includes(name))) withLibrary.push(file);
  }
  await Promise.all(withLibrary.map(bundleInPlace));
  return BUNDLED;
}

/** Every licence that bundling obliges us to carry, in one file of `dist`. */
export async function writeLicences(dist, packages) {
  const texts = await Promise.all([...new Set(packages)].map(licenceOf));
  const line = `\n${'-'.repeat(80)}\n\n`;
  const intro = 'Parts of this package are bundled from the following.\n\n';
  await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), intro + texts.join(line));
}

async function licenceOf(name) {
  const folder = join(root, 'node_modules', name);
  const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const names = await readdir(folder);
  const file = names.find((candidate) => /^licen[cs]e/i.test(candidate));
  const text =
    file === undefined ? 'The package holds no licence text.' : await readFile(join(folder, file), 'utf8');
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}

async function packagesOf(file) {
  const text = await readFile(file, 'utf8');
  const names = [...text.matchAll(REQUIRED)].map(([, specifier]) => packageOf(specifier));
  return [...new Set(names)].filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));
}

function packageOf(specifier) {
  const [first, second] = specifier.split('/');
  return specifier.startsWith('@') ? `${first}/${second}` : first;
}

/** Our own files stay outside: a class that exists twice breaks `instanceof`. */
async function bundleInPlace(file) {
  await build({
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    legalComments: 'none',
    logLevel: 'warning',
    nodePaths: [join(root, 'node_modules')],
    plugins: [
      {
        name: 'ours-stays-outside',
        setup(esbuild) {
          esbuild.onResolve({ filter: /^\.{1,2}\// }, ({ importer, path }) =>
            importer === file ? { path, external: true } : undefined,
          );
        },
      },
    ],
  });
}
