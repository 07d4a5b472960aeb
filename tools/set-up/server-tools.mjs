import { downloaded, RELEASES } from './download.mjs';
import { ensureGoTool, isOffline } from './go-tool.mjs';

/** What Go builds, by name. */
const PROGRAMS = {
  // The Temporal CLI, which includes a dev server.
  'temporal-cli': {
    pkg: 'github.com/temporalio/cli/cmd/temporal',
    about: '2 to 5 min',
    ldflags: `-X github.com/temporalio/cli/internal/temporalcli.Version=${RELEASES['temporal-cli'].version}`,
  },
  // The S3 server that tests use as storage.
  versitygw: { pkg: 'github.com/versity/versitygw/cmd/versitygw', about: '1 to 2 min' },
  // Another S3 server, for the tests of each night.
  rclone: { pkg: 'github.com/rclone/rclone', about: '3 to 8 min' },
  // Builds the files of deploy/kubernetes.
  kustomize: { pkg: 'sigs.k8s.io/kustomize/kustomize/v5', about: 'under 1 min' },
  // Checks GitHub's workflow files.
  actionlint: { pkg: 'github.com/rhysd/actionlint/cmd/actionlint', about: 'under 1 min' },
};

/** Finds or makes each program: what Go built before, else the release, else what Go builds now. */
export const SERVER_TOOLS = Object.fromEntries(
  Object.entries(PROGRAMS).map(([name, program]) => [name, () => found({ name, ...program })]),
);

async function found(tool) {
  const built = await ensureGoTool({ ...tool, onlyKept: true });
  if (built !== undefined) return built;
  const release = isOffline() ? undefined : await downloaded(tool.name);
  const otherwise = RELEASES[tool.name] ? ', or allow its download from github.com' : '';
  return release ?? ensureGoTool({ ...tool, otherwise });
}
