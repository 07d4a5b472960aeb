import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, exeSuffix, exists, platform, root } from '../folders.mjs';
import { withLock } from '../lock.mjs';
import { capture } from '../run.mjs';
import { say } from '../say.mjs';

/**
 * Path of the Node that n8n needs, in the version of the dev dependency `node`.
 *
 * All install scripts are disabled here. The one of that package would put a second `node` into node_modules/.bin,
 * which npm puts first in PATH, so every script would no longer use the user's own Node. Its platform package is
 * installed into the cache.
 */
export async function ensureNode24() {
  const { version } = JSON.parse(await readFile(join(root, 'node_modules', 'node', 'package.json'), 'utf8'));
  const folder = join(cacheFolder, 'node', `${version}-${platform}`);
  const path = join(folder, 'node_modules', packageName(), 'bin', `node${exeSuffix}`);
  if (await exists(path)) return path;
  return withLock('install-node', async () => {
    if (await exists(path)) return path;
    say(`installing Node ${version} for the tests that load n8n.`);
    const unfinished = `${folder}.${process.pid}`;
    await install(unfinished, version);
    await verify(join(unfinished, 'node_modules', packageName(), 'bin', `node${exeSuffix}`), version);
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
    return path;
  });
}

async function install(folder, version) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const args = [
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    `${packageName()}@${version}`,
  ];
  const { code, stderr } = await capture('npm', args, { cwd: folder, shell: process.platform === 'win32' });
  if (code !== 0) throw new Error(`Node ${version} could not be installed: ${stderr.trim()}`);
}

async function verify(path, version) {
  const { stdout, stderr } = await capture(path, ['--version']);
  if (stdout.trim() !== `v${version}`) throw new Error(`${path} is not Node ${version}: ${stdout}${stderr}`);
}

/** The name that the package `node` uses for its platform packages. */
function packageName() {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${system}-${process.arch}`;
}
