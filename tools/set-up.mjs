/**
 * Finds or makes everything that the project needs on a new clone. `node tools/set-up.mjs` installs the packages. With
 * names of tools it finds or makes those instead, and prints one path per line.
 */
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { ensureInstalled } from './install.mjs';
import { GO_PROGRAMS } from './set-up/go-programs.mjs';
import { ensureN8n } from './set-up/n8n.mjs';
import { ensureNode, ensureOldestNode } from './set-up/node.mjs';
import { ensureDeployPrograms, ensureSeaweedfs } from './set-up/pip-tool.mjs';
import { SYSTEM_TOOLS } from './set-up/system-tools.mjs';

const TOOLS = {
  node: () => ensureNode(),
  'oldest-node': ensureOldestNode,
  n8n: ensureN8n,
  'deploy-programs': ensureDeployPrograms,
  seaweedfs: ensureSeaweedfs,
  ...GO_PROGRAMS,
  ...SYSTEM_TOOLS,
};

const asked = new Map();

/** Path of a tool, which is found or made once. */
export async function ensure(name) {
  const make = TOOLS[name];
  if (!make) throw new Error(`No tool is called ${name}; there are ${Object.keys(TOOLS).join(', ')}.`);
  if (!asked.has(name)) asked.set(name, make());
  return asked.get(name);
}

async function main(names) {
  if (names.length === 0) await ensureInstalled();
  for (const name of names) process.stdout.write(`${await ensure(name)}\n`);
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  main(argv.slice(2)).catch((error) => {
    process.stderr.write(`set-up: ${error.message}\n`);
    process.exitCode = 1;
  });
}
