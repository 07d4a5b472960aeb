import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, exeSuffix, platform, root } from '../folders.mjs';
import { capture } from '../run.mjs';
import { ensureCached } from './cached.mjs';

/** Version of the Node that everything here runs on: that of the dev dependency `node`. */
export async function projectNodeVersion() {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  return packages['node_modules/node'].version;
}

/**
 * Path of a Node, in the version of the dev dependency by default. Needs npm only, and no node_modules.
 *
 * All install scripts are disabled here, so the package `node` puts no Node into node_modules/.bin. Its platform
 * package is installed into the cache.
 * @param {string} [version] such as 22.19.0
 */
export async function ensureNode(version) {
  const wanted = version ?? (await projectNodeVersion());
  const folder = await ensureCached({
    path: join(cacheFolder, 'node', `${wanted}-${platform}`),
    what: `Node ${wanted}`,
    make: (unfinished) => install(unfinished, wanted),
  });
  return programIn(folder);
}

const programIn = (folder) => join(folder, 'node_modules', packageName(), 'bin', `node${exeSuffix}`);

/** Path of the oldest Node that users of the package may have. */
export async function ensureOldestNode() {
  const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return ensureNode(`${engines.node.replace('>=', '')}.0`);
}

async function install(folder, version) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
  const args = ['install', ...flags, `${packageName()}@${version}`];
  const { code, stderr } = await capture('npm', args, { cwd: folder, shell: process.platform === 'win32' });
  if (code !== 0) throw new Error(`Node ${version} could not be installed: ${stderr.trim()}`);
}

/** The name that the package `node` uses for its platform packages. */
function packageName() {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${system}-${process.arch}`;
}
