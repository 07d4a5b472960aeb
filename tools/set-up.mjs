/**
 * Finds or makes everything that the project needs on a new clone. `node tools/set-up.mjs` installs the packages. With
 * names (`temporal-cli`, `versitygw`, `node`, `oldest-node`, `n8n`, `chromium`, `redis`, `postgres`, `kustomize`, `deploy-programs`,
 * `promtool`, `actionlint`, `systemd-analyze`, `rclone`, `seaweedfs`) it finds or makes those tools instead, and prints one path per line.
 */
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { ensureInstalled } from './install.mjs';
import { ensureN8n } from './set-up/n8n.mjs';
import { ensureNode, ensureOldestNode } from './set-up/node.mjs';
import {
  ensureActionlint,
  ensureKustomize,
  ensureRclone,
  ensureTemporalCli,
  ensureVersitygw,
} from './set-up/server-tools.mjs';
import { ensureDeployPrograms, ensureSeaweedfs } from './set-up/pip-tool.mjs';
import {
  ensureChromium,
  ensurePostgres,
  ensurePromtool,
  ensureRedis,
  ensureSystemdAnalyze,
} from './set-up/system-tools.mjs';

export {
  ensureActionlint,
  ensureDeployPrograms,
  ensureInstalled,
  ensureKustomize,
  ensureNode,
  ensureRclone,
  ensureSeaweedfs,
  ensureTemporalCli,
  ensureVersitygw,
};

export const TOOLS = {
  'temporal-cli': ensureTemporalCli,
  versitygw: ensureVersitygw,
  node: () => ensureNode(),
  'oldest-node': ensureOldestNode,
  n8n: ensureN8n,
  chromium: ensureChromium,
  redis: ensureRedis,
  postgres: ensurePostgres,
  kustomize: ensureKustomize,
  'deploy-programs': ensureDeployPrograms,
  promtool: ensurePromtool,
  actionlint: ensureActionlint,
  'systemd-analyze': ensureSystemdAnalyze,
  rclone: ensureRclone,
  seaweedfs: ensureSeaweedfs,
};

async function main(names) {
  if (names.length === 0) await ensureInstalled();
  for (const name of names) {
    const ensure = TOOLS[name];
    if (!ensure) throw new Error(`No tool is called ${name}; there are ${Object.keys(TOOLS).join(', ')}.`);
    process.stdout.write(`${await ensure()}\n`);
  }
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  main(argv.slice(2)).catch((error) => {
    process.stderr.write(`set-up: ${error.message}\n`);
    process.exitCode = 1;
  });
}
