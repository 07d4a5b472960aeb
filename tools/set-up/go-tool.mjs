import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, exeSuffix, exists, platform, root } from '../folders.mjs';
import { filesOf } from '../inputs-hash.mjs';
import { withLock } from '../lock.mjs';
import { capture, run } from '../run.mjs';
import { say, sayWait } from '../say.mjs';

/**
 * Path of a Go program whose version tools/<name>/go.mod pins. Built at the first use, later found in the cache.
 * @param {{ name: string, pkg: string, about: string, ldflags?: string }} tool
 */
export async function ensureGoTool({ name, pkg, about, ldflags = '' }) {
  const source = join(root, 'tools', name);
  const target = join(cacheFolder, 'bin', `${name}-${await pinOf(source)}-${platform}${exeSuffix}`);
  if (await exists(target)) return target;
  return withLock(`build-${name}`, async () => {
    if (await exists(target)) return target;
    await requireGo(name);
    say(`building ${name} with Go, once for this machine.`);
    sayWait({
      step: `build-${name}`,
      about,
      why: `${name} is compiled from source, cached in ${cacheFolder}`,
    });
    await mkdir(join(cacheFolder, 'bin'), { recursive: true });
    const unfinished = `${target}.${process.pid}`;
    try {
      await run('go', ['build', '-mod=readonly', `-ldflags=-s -w ${ldflags}`, '-o', unfinished, pkg], {
        cwd: source,
        env: { ...process.env, ...(isOffline() ? { GOPROXY: 'off' } : {}) },
      });
      await rename(unfinished, target);
    } finally {
      await rm(unfinished, { force: true });
    }
    say(`${name} is ready.`);
    return target;
  });
}

/** npm's own option: `npm test --offline` sets this variable. */
export function isOffline() {
  return process.env.npm_config_offline === 'true';
}

/** go.sum pins every third-party source file. So a hash of go.sum and our own files is the version. */
async function pinOf(source) {
  const hash = createHash('sha256');
  for (const path of await filesOf(source)) {
    if (!path.endsWith('go.mod')) hash.update(await readFile(path));
  }
  return hash.digest('hex').slice(0, 12);
}

async function requireGo(name) {
  const { code } = await capture('go', ['version']);
  if (code === 0) return;
  throw new Error(
    `${name} must be compiled once and Go is missing: install Go 1.25 or newer (https://go.dev/dl) and run this again.`,
  );
}
