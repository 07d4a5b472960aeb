import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder, platform, root } from '../folders.mjs';
import { run } from '../run.mjs';
import { ensureCached } from './cached.mjs';

const MANIFEST = join(root, 'test', 'e2e');
const FILES = ['package.json', 'package-lock.json'];
/** n8n's packages need peers of several major versions at once. Only SQLite's install script is needed. */
const FLAGS = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Path of the n8n for end-to-end tests, in the version that test/e2e/package-lock.json pins. The same node_modules
 * also has playwright-core. Installed at the first use into the cache, which keeps only the newest version.
 */
export async function ensureN8n() {
  const target = await ensureCached({
    path: join(cacheFolder, 'n8n', `${await pin()}-${platform}`),
    what: 'n8n',
    about: '2,100 packages and 2.2 GB: 3 to 6 min',
    make: install,
  });
  await keepOnly(target);
  return join(target, 'node_modules', 'n8n', 'bin', 'n8n');
}

async function pin() {
  const hash = createHash('sha256');
  for (const name of FILES) hash.update(await readFile(join(MANIFEST, name)));
  return hash.digest('hex').slice(0, 12);
}

async function install(folder) {
  await mkdir(folder, { recursive: true });
  for (const name of FILES) await copyFile(join(MANIFEST, name), join(folder, name));
  // Not `npm ci`, which refuses a lock file if the registry does not have all optional packages for other systems.
  await npm(['install', ...FLAGS], folder);
  // SQLite's script downloads a binary if it can. Otherwise it compiles with the headers of this Node.
  await npm(['rebuild', 'sqlite3', '--ignore-scripts=false'], folder, {
    npm_config_nodedir: dirname(dirname(process.execPath)),
  });
}

function npm(args, cwd, more = {}) {
  return run('npm', args, { cwd, env: { ...process.env, ...more }, shell: process.platform === 'win32' });
}

async function keepOnly(target) {
  const folder = dirname(target);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (path !== target) await rm(path, { recursive: true, force: true });
  }
}
