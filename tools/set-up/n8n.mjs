import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { cacheFolder, exists, platform, root } from '../folders.mjs';
import { withLock } from '../lock.mjs';
import { ensureNode24 } from './node-24.mjs';
import { capture } from '../run.mjs';
import { say, sayWait } from '../say.mjs';

const MANIFEST = join(root, 'test', 'e2e');
const FILES = ['package.json', 'package-lock.json'];
/** n8n's packages ask for peers of several majors at once; none of their install scripts is needed but SQLite's. */
const FLAGS = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Path of the n8n that end-to-end tests run, in the version that test/e2e/package-lock.json pins; with it comes
 * playwright-core, in the same node_modules. Installed on first need, into the cache, which keeps the newest only.
 */
export async function ensureN8n() {
  const target = join(cacheFolder, 'n8n', `${await pin()}-${platform}`);
  const path = join(target, 'node_modules', 'n8n', 'bin', 'n8n');
  if (await exists(path)) return path;
  const node = await ensureNode24();
  return withLock('install-n8n', async () => {
    if (await exists(path)) return path;
    say('installing n8n for the end-to-end tests, once for this machine.');
    sayWait({ step: 'install-n8n', about: '3 to 6 min', why: 'n8n is 2,100 packages and 2.2 GB' });
    const unfinished = `${target}.${process.pid}`;
    try {
      await install(unfinished, node);
      await rename(unfinished, target);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
    await keepOnly(target);
    say('n8n is ready.');
    return path;
  });
}

async function pin() {
  const hash = createHash('sha256');
  for (const name of FILES) hash.update(await readFile(join(MANIFEST, name)));
  return hash.digest('hex').slice(0, 12);
}

async function install(folder, node) {
  await mkdir(folder, { recursive: true });
  for (const name of FILES) await copyFile(join(MANIFEST, name), join(folder, name));
  // Not `npm ci`: it refuses a lock file without optional packages for systems that the registry in use does not carry.
  await npm(['install', ...FLAGS], folder);
  // SQLite's script takes a ready binary where it can be had, else it compiles against the headers of n8n's own Node.
  await npm(['rebuild', 'sqlite3', '--ignore-scripts=false'], folder, {
    PATH: [dirname(node), process.env.PATH].join(delimiter),
    npm_config_nodedir: dirname(dirname(node)),
  });
}

async function npm(args, cwd, more = {}) {
  const env = { ...process.env, ...more };
  const { code, stdout, stderr } = await capture('npm', args, {
    cwd,
    env,
    shell: process.platform === 'win32',
  });
  if (code !== 0) throw new Error(`npm ${args[0]} for n8n ended with ${code}: ${(stderr || stdout).trim()}`);
}

async function keepOnly(target) {
  const folder = dirname(target);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (path !== target) await rm(path, { recursive: true, force: true });
  }
}
