import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, exeSuffix, platform } from '../folders.mjs';
import { capture, run } from '../run.mjs';
import { say } from '../say.mjs';
import { ensureCached, isOffline } from './cached.mjs';

const DOWNLOAD_LIMIT_MS = 120_000;

/**
 * The pinned programs by name. `module`: Go's checksum database pins its content, and its own go.sum what it is built
 * of. `newer`: a module that it needs in a newer version. `release`: the address of an archive, the program in it, and
 * for each platform the name of its archive and the SHA-256 of that.
 */
const PROGRAMS = {
  // The Temporal CLI, which includes a dev server.
  'temporal-cli': {
    module: 'github.com/temporalio/cli@v1.5.1',
    pkg: './cmd/temporal',
    // Up to 1.42.1, a call that ends early can interrupt other queries for as long as the server runs.
    newer: 'modernc.org/sqlite@v1.56.0',
    about: '2 to 5 min if Go builds it',
    release: {
      address:
        'https://github.com/temporalio/cli/releases/download/v{version}/temporal_cli_{version}_{kind}.tar.gz',
      program: 'temporal',
      kinds: {
        'linux-x64': ['linux_amd64', 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d'],
        'linux-arm64': ['linux_arm64', 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5'],
        'darwin-x64': ['darwin_amd64', 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9'],
        'darwin-arm64': ['darwin_arm64', 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415'],
      },
    },
  },
  // The S3 server that tests use as storage.
  versitygw: {
    module: 'github.com/versity/versitygw@v1.8.0',
    pkg: './cmd/versitygw',
    about: '1 to 2 min if Go builds it',
    release: {
      address:
        'https://github.com/versity/versitygw/releases/download/v{version}/versitygw_v{version}_{kind}.tar.gz',
      program: 'versitygw_v{version}_{kind}/versitygw',
      kinds: {
        'linux-x64': ['Linux_x86_64', '2ba2c734d10d2c4e651d03182cb4b246656bc735a2f282db7b0b73fba6073467'],
        'linux-arm64': ['Linux_arm64', 'b34051d33f5a9c457f790896acb7bd7d7e15ad8d92efb70616b924f37e401910'],
        'darwin-x64': ['Darwin_x86_64', '104bd978e80ef0173554cfd8630ccc5bac24b00da440510b60365a3b6b6ab134'],
        'darwin-arm64': ['Darwin_arm64', '4953096f65a9c0d62ab184fb6b2ba7c2435229205cf00a56cb62cd4bf6b216ca'],
      },
    },
  },
  // Another S3 server, for the tests of each night.
  rclone: { module: 'github.com/rclone/rclone@v1.76.0', pkg: '.', about: '3 to 8 min' },
  // Builds the files of deploy/kubernetes.
  kustomize: { module: 'sigs.k8s.io/kustomize/kustomize/v5@v5.8.2', pkg: '.', about: 'under 1 min' },
  // Checks GitHub's workflow files.
  actionlint: {
    module: 'github.com/rhysd/actionlint@v1.7.12',
    pkg: './cmd/actionlint',
    about: 'under 1 min',
  },
};

/** Finds or makes each program. */
export const GO_PROGRAMS = Object.fromEntries(
  Object.entries(PROGRAMS).map(([name, program]) => [name, () => ensureProgram(name, program)]),
);

/** Path of a program, which is downloaded once if there is a release for this platform, or else built by Go. */
export function ensureProgram(name, program) {
  const pin = createHash('sha256').update(JSON.stringify(program)).digest('hex').slice(0, 12);
  return ensureCached({
    path: join(cacheFolder, 'bin', `${name}-${pin}-${platform}${exeSuffix}`),
    what: name,
    about: program.about,
    make: async (unfinished) => {
      if (!(await isDownloaded(program, unfinished))) await build(name, program, unfinished);
    },
  });
}

/** False if this platform has no release, or if the download fails or differs from its checksum, which is said. */
async function isDownloaded({ module, release }, path) {
  const [kind, sha256] = release?.kinds[platform] ?? [];
  if (kind === undefined || isOffline()) return false;
  const filledIn = (text) => text.replaceAll('{version}', module.split('@v')[1]).replaceAll('{kind}', kind);
  const url = filledIn(release.address);
  try {
    await unpack({ url, sha256, program: filledIn(release.program) }, path);
    return true;
  } catch (error) {
    say(`${url} could not be downloaded (${error.cause?.code ?? error.message}), so Go must build it.`);
    return false;
  }
}

async function unpack({ url, sha256, program }, path) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_LIMIT_MS) });
  if (!answer.ok) throw new Error(`the status is ${answer.status}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) throw new Error(`its SHA-256 is ${found} instead of ${sha256}`);
  await inFolder(`${path}.unpacked`, async (folder) => {
    await writeFile(join(folder, 'archive.tar.gz'), bytes);
    await run('tar', ['-xzf', 'archive.tar.gz', program], { cwd: folder });
    await rename(join(folder, program), path);
  });
}

async function build(name, { module, pkg, newer, release }, path) {
  const env = { ...process.env, ...(isOffline() ? { GOPROXY: 'off' } : {}) };
  const { code, stdout, stderr } = await capture('go', ['mod', 'download', '-json', module], { env });
  if (code === 127) {
    const otherwise = release === undefined ? '' : ', or allow its download from github.com';
    throw new Error(
      `${name} must be compiled once and Go is missing: install Go 1.25 or newer (https://go.dev/dl)${otherwise}, and run this again.`,
    );
  }
  if (code !== 0) throw new Error(`Go can't download ${module}: ${stdout}${stderr}`);
  const { Dir: cwd } = JSON.parse(stdout);
  await inFolder(`${path}.build`, async (folder) => {
    // Copies, because Go's cache of modules is read-only.
    for (const file of ['go.mod', 'go.sum'])
      await writeFile(join(folder, file), await readFile(join(cwd, file)));
    const modfile = `-modfile=${join(folder, 'go.mod')}`;
    if (newer !== undefined) await run('go', ['get', modfile, newer], { cwd, env });
    await run('go', ['build', modfile, '-ldflags=-s -w', '-o', path, pkg], { cwd, env });
  });
}

/** Runs `work` in a new folder, which is removed afterwards. */
async function inFolder(folder, work) {
  try {
    await mkdir(folder, { recursive: true });
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
