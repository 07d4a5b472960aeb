import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { exists } from '../folders.mjs';
import { say } from '../say.mjs';

/**
 * Path of a file or folder of the cache. `make` makes it beside its path, and one rename puts it there, so that an
 * interrupted set-up leaves nothing half. Of two processes that make the same, the first one wins.
 * @param {{ path: string, what: string, about?: string, make: (unfinished: string) => Promise<void> }} one
 */
export async function ensureCached({ path, what, about, make }) {
  if (await exists(path)) return path;
  say(`making ${what}, once for this machine${about === undefined ? '' : ` (${about})`}.`);
  const unfinished = `${path}.${process.pid}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await make(unfinished);
    await rename(unfinished, path).catch(async (error) => {
      if (!(await exists(path))) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  say(`${what} is ready.`);
  return path;
}

/** npm's own option: `npm test --offline` sets this variable. */
export function isOffline() {
  return process.env.npm_config_offline === 'true';
}
