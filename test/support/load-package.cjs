/**
 * Runs on the Node that n8n requires. Loads every credential and node of a package's manifest as n8n does, and prints
 * them and what else was loaded. Argument: the package's folder.
 */
const { createRequire } = require('node:module');
const { basename, join, relative, sep } = require('node:path');

const [, , folder] = process.argv;
const { n8n } = require(join(folder, 'package.json'));

function load(file) {
  const [className] = basename(file).split('.');
  const instance = new (require(join(folder, file))[className])();
  const { name, properties } = instance.description ?? instance;
  return { name, properties: properties.length };
}

function canResolve(name) {
  try {
    createRequire(join(folder, 'package.json')).resolve(name);
    return true;
  } catch {
    return false;
  }
}

const credentials = n8n.credentials.map(load);
const nodes = n8n.nodes.map(load);
const PACKAGE = /.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/;
const loaded = new Set(Object.keys(require.cache).flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
const own = Object.keys(require.cache)
  .map((path) => relative(folder, path).split(sep).join('/'))
  .filter((path) => path.startsWith('dist/'));
const asked = [
  '@temporalio/client',
  '@temporalio/worker',
  '@temporalio/workflow',
  '@temporalio/activity',
  'undici',
  'commander',
];
process.stdout.write(
  JSON.stringify({
    node: process.versions.node,
    credentials,
    nodes,
    resolvable: asked.filter(canResolve),
    loaded: [...loaded],
    own,
  }),
);
