import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cacheFolder, exeSuffix, exists, platform, root } from '../folders.mjs';
import { ensureGoTool, isOffline } from './go-tool.mjs';
import { capture } from '../run.mjs';
import { say } from '../say.mjs';

const DOWNLOAD_LIMIT_MS = 120_000;

/** Path of the S3 server that tests use as storage. */
export async function ensureVersitygw() {
  return ensureGoTool({
    name: 'versitygw',
    pkg: 'github.com/versity/versitygw/cmd/versitygw',
    about: '1 to 2 min',
  });
}

/** Path of rclone, which can serve S3: another server than versitygw of the other tests. */
export async function ensureRclone() {
  return ensureGoTool({ name: 'rclone', pkg: 'github.com/rclone/rclone', about: '3 to 8 min' });
}

/** Path of kustomize, which builds the files of deploy/kubernetes. */
export async function ensureKustomize() {
  return ensureGoTool({
    name: 'kustomize',
    pkg: 'sigs.k8s.io/kustomize/kustomize/v5',
    about: 'under 1 min',
  });
}

/** Path of actionlint, which checks GitHub's workflow files. */
export async function ensureActionlint() {
  return ensureGoTool({
    name: 'actionlint',
    pkg: 'github.com/rhysd/actionlint/cmd/actionlint',
    about: 'under 1 min',
  });
}

/**
 * Path of a Temporal CLI, which includes a dev server. Uses the one on PATH, otherwise the one that Temporal's SDK
 * downloads, otherwise one compiled here. With TEMPORAL_ADDRESS, only tests that kill a server need it.
 */
export async function ensureTemporalCli() {
  return (await onPath('temporal')) ?? (await downloaded()) ?? (await compiled());
}

async function onPath(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name + exeSuffix);
    if (folder !== '' && (await exists(path))) return path;
  }
  return undefined;
}

async function compiled() {
  return ensureGoTool({
    name: 'temporal-cli',
    pkg: 'github.com/temporalio/cli/cmd/temporal',
    about: '2 to 5 min',
    ldflags: '-X github.com/temporalio/cli/internal/temporalcli.Version=1.5.1',
  });
}

async function downloaded() {
  const folder = join(cacheFolder, 'downloads', platform);
  return (await firstCliIn(folder)) ?? (await download(folder));
}

async function download(folder) {
  // A compiled CLI is equally good and needs no download.
  if (isOffline() || (await hasCompiled())) return undefined;
  say('asking the Temporal SDK to download the Temporal CLI.');
  const script = join(root, 'tools', 'set-up', 'download-temporal-cli.mjs');
  const { code } = await capture(process.execPath, [script, folder], { timeout: DOWNLOAD_LIMIT_MS });
  if (code !== 0) say('the download is not reachable from here, so Go must build it.');
  return code === 0 ? firstCliIn(folder) : undefined;
}

async function hasCompiled() {
  const names = await readdir(join(cacheFolder, 'bin')).catch(() => []);
  return names.some((name) => name.startsWith('temporal-cli-') && name.endsWith(platform + exeSuffix));
}

/** The SDK chooses the file's name. A partial download has another file extension. */
async function firstCliIn(folder) {
  const names = await readdir(folder).catch(() => []);
  const name = names.find((candidate) => candidate.startsWith('temporal') && !candidate.includes('download'));
  return name === undefined ? undefined : join(folder, name);
}
