import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, platform, root } from '../folders.mjs';
import { capture } from '../run.mjs';
import { say } from '../say.mjs';
import { ensureGoTool, isOffline } from './go-tool.mjs';

const DOWNLOAD_LIMIT_MS = 120_000;
/** As in tools/temporal-cli/go.mod. */
const TEMPORAL_CLI = '1.5.1';

const goTool = (name, pkg, about) => () => ensureGoTool({ name, pkg, about });

/** Programs that Go builds, by name. */
export const GO_TOOLS = {
  // The S3 server that tests use as storage.
  versitygw: goTool('versitygw', 'github.com/versity/versitygw/cmd/versitygw', '1 to 2 min'),
  // Another S3 server, for the tests of each night.
  rclone: goTool('rclone', 'github.com/rclone/rclone', '3 to 8 min'),
  // Builds the files of deploy/kubernetes.
  kustomize: goTool('kustomize', 'sigs.k8s.io/kustomize/kustomize/v5', 'under 1 min'),
  // Checks GitHub's workflow files.
  actionlint: goTool('actionlint', 'github.com/rhysd/actionlint/cmd/actionlint', 'under 1 min'),
};

/**
 * Path of the Temporal CLI, which includes a dev server: as Temporal's SDK downloads it, otherwise the same version
 * compiled here.
 */
export async function ensureTemporalCli() {
  const folder = join(cacheFolder, 'downloads', `${TEMPORAL_CLI}-${platform}`);
  return (await firstCliIn(folder)) ?? (await compiled(true)) ?? (await download(folder)) ?? compiled(false);
}

/** With `onlyKept`, undefined unless it was compiled before. */
async function compiled(onlyKept) {
  return ensureGoTool({
    name: 'temporal-cli',
    pkg: 'github.com/temporalio/cli/cmd/temporal',
    about: '2 to 5 min',
    ldflags: `-X github.com/temporalio/cli/internal/temporalcli.Version=${TEMPORAL_CLI}`,
    otherwise: ', or allow its download from temporal.download',
    onlyKept,
  });
}

async function download(folder) {
  if (isOffline()) return undefined;
  say(`asking the Temporal SDK to download the Temporal CLI ${TEMPORAL_CLI}.`);
  const script = join(root, 'tools', 'set-up', 'download-temporal-cli.mjs');
  const { code } = await capture(process.execPath, [script, folder, `v${TEMPORAL_CLI}`], {
    timeout: DOWNLOAD_LIMIT_MS,
  });
  if (code !== 0) say('the download is not reachable from here, so Go must build it.');
  return code === 0 ? firstCliIn(folder) : undefined;
}

/** The SDK chooses the file's name. A partial download has another file extension. */
async function firstCliIn(folder) {
  const names = await readdir(folder).catch(() => []);
  const name = names.find((candidate) => candidate.startsWith('temporal') && !candidate.includes('download'));
  return name === undefined ? undefined : join(folder, name);
}
