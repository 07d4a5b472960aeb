import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, exeSuffix, exists, platform, root } from '../folders.mjs';
import { filesOf } from '../inputs-hash.mjs';
import { capture, run } from '../run.mjs';
import { ensureCached } from './cached.mjs';

/**
 * Path of a Go program whose version tools/<name>/go.mod pins. Built at the first use, later found in the cache.
 * `otherwise` says what else helps where Go is missing. With `onlyKept`, it is undefined unless it was built before.
 * @param {{ name: string, pkg: string, about: string, ldflags?: string, otherwise?: string, onlyKept?: boolean }} tool
 */
export async function ensureGoTool({ name, pkg, about, ldflags = '', otherwise = '', onlyKept = false }) {
  const source = join(root, 'tools', name);
  const path = join(cacheFolder, 'bin', `${name}-${await pinOf(source)}-${platform}${exeSuffix}`);
  if (onlyKept && !(await exists(path))) return undefined;
  return ensureCached({
    path,
    what: name,
    about,
    make: async (unfinished) => {
      await requireGo(name, otherwise);
      const env = { ...process.env, ...(isOffline() ? { GOPROXY: 'off' } : {}) };
      const flags = ['-mod=readonly', `-ldflags=-s -w ${ldflags}`, '-o', unfinished];
      await run('go', ['build', ...flags, pkg], { cwd: source, env });
    },
  });
}

/** npm's own option: `npm test --offline` sets this variable. */
export function isOffline() {
  return process.env.npm_config_offline === 'true';
}

/** go.sum pins every third-party source file. So its hash is the version. */
async function pinOf(source) {
  const hash = createHash('sha256');
  for (const path of await filesOf(source)) {
    if (!path.endsWith('go.mod')) hash.update(await readFile(path));
  }
  return hash.digest('hex').slice(0, 12);
}

async function requireGo(name, otherwise) {
  const { code } = await capture('go', ['version']);
  if (code === 0) return;
  throw new Error(
    `${name} must be compiled once and Go is missing: install Go 1.25 or newer (https://go.dev/dl)${otherwise}, and run this again.`,
  );
}
