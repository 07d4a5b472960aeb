/**
 * One new process, like n8n's start: loads n8n's own libraries first, then every node and credential in a package's
 * manifest. Prints the ms of the second step, as elapsed time and as CPU time. Arguments: the package's folder, and
 * the folder in which n8n-workflow is found.
 */
const { createRequire } = require('node:module');
const { basename, join } = require('node:path');

const [, , folder, host] = process.argv;
createRequire(join(host, 'package.json'))('n8n-workflow');
// n8n has loaded these modules of Node before.
for (const name of ['crypto', 'stream', 'fs', 'fs/promises', 'path', 'stream/promises', 'os']) {
  require(`node:${name}`);
}
const { n8n } = require(join(folder, 'package.json'));

const used = process.threadCpuUsage();
const from = performance.now();
for (const file of [...n8n.credentials, ...n8n.nodes]) {
  const loaded = require(join(folder, file));
  new loaded[basename(file).split('.')[0]]();
}
const ms = performance.now() - from;
const { user, system } = process.threadCpuUsage(used);
process.stdout.write(JSON.stringify({ ms, cpuMs: (user + system) / 1000 }));
