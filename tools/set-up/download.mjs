import { createHash } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, platform } from '../folders.mjs';
import { run } from '../run.mjs';
import { say } from '../say.mjs';
import { ensureCached } from './cached.mjs';

const LIMIT_MS = 120_000;

/** Released programs by name: the archive and its SHA-256 for each platform, and the program's path in the archive. */
export const RELEASES = {
  'temporal-cli': {
    version: '1.5.1',
    address: 'https://github.com/temporalio/cli/releases/download/v1.5.1/temporal_cli_1.5.1_{kind}.tar.gz',
    program: 'temporal',
    kinds: {
      'linux-x64': ['linux_amd64', 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d'],
      'linux-arm64': ['linux_arm64', 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5'],
      'darwin-x64': ['darwin_amd64', 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9'],
      'darwin-arm64': ['darwin_arm64', 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415'],
    },
  },
  versitygw: {
    version: '1.8.0',
    address: 'https://github.com/versity/versitygw/releases/download/v1.8.0/versitygw_v1.8.0_{kind}.tar.gz',
    program: 'versitygw_v1.8.0_{kind}/versitygw',
    kinds: {
      'linux-x64': ['Linux_x86_64', '2ba2c734d10d2c4e651d03182cb4b246656bc735a2f282db7b0b73fba6073467'],
      'linux-arm64': ['Linux_arm64', 'b34051d33f5a9c457f790896acb7bd7d7e15ad8d92efb70616b924f37e401910'],
      'darwin-x64': ['Darwin_x86_64', '104bd978e80ef0173554cfd8630ccc5bac24b00da440510b60365a3b6b6ab134'],
      'darwin-arm64': ['Darwin_arm64', '4953096f65a9c0d62ab184fb6b2ba7c2435229205cf00a56cb62cd4bf6b216ca'],
    },
  },
};

/**
 * Path of a released program, which is downloaded once. Undefined if this platform has no release, or if the download
 * fails or differs from its checksum, which is said.
 */
export async function downloaded(name, releases = RELEASES) {
  const { version, address, program, kinds } = releases[name] ?? { kinds: {} };
  const [kind, sha256] = kinds[platform] ?? [];
  if (kind === undefined) return undefined;
  const url = address.replace('{kind}', kind);
  const make = (unfinished) => unpack({ url, sha256, program: program.replace('{kind}', kind) }, unfinished);
  try {
    const path = join(cacheFolder, 'bin', `${name}-${version}-${platform}`);
    return await ensureCached({ path, what: `${name} ${version}`, about: `a download from ${url}`, make });
  } catch (error) {
    const why = error.cause?.code ?? error.message;
    say(`${name} ${version} could not be downloaded (${why}), so Go must build it.`);
    return undefined;
  }
}

async function unpack({ url, sha256, program }, path) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) throw new Error(`its SHA-256 is ${found} instead of ${sha256}`);
  const folder = `${path}.unpacked`;
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'archive.tar.gz'), bytes);
    await run('tar', ['-xzf', 'archive.tar.gz', program], { cwd: folder });
    await rename(join(folder, program), path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
