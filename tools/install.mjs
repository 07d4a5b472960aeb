import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './folders.mjs';
import { run } from './run.mjs';
import { say } from './say.mjs';

/** Makes node_modules match package-lock.json: runs `npm ci` if it does not. */
export async function ensureInstalled() {
  const reason = await whatIsStale();
  if (reason === undefined) return;
  say(`${reason}: running npm ci (about 1 min, for 700 MB of packages for n8n and Temporal).`);
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, shell: process.platform === 'win32' });
}

/**
 * Compares the lock file with the one that npm writes into node_modules after an installation. A separate stamp would
 * install everything again after a manual `npm i` of one package.
 */
async function whatIsStale() {
  const wanted = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')).packages;
  const found = await readFile(join(root, 'node_modules', '.package-lock.json'), 'utf8').catch(
    () => undefined,
  );
  if (found === undefined) return 'node_modules is missing or half installed';
  const installed = JSON.parse(found).packages;
  for (const [path, { version, optional, peer, link }] of Object.entries(wanted)) {
    if (path === '' || link) continue;
    const has = installed[path]?.version;
    // Optional packages may be for another platform, and npm leaves out unneeded peers.
    if (has === undefined && (optional || peer)) continue;
    if (has !== version) return `${path} is ${has ?? 'missing'}, package-lock.json names ${version}`;
  }
  return undefined;
}
