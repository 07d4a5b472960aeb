/**
 * Runs on the Node that n8n requires. Loads every credential and node of a package's manifest as n8n does, then what they
 * do, and asks for the columns of a batch. Prints them, and the files of the package that n8n's start loads. Argument: the package's folder.
 */
const { basename, join, relative, sep } = require('node:path');

const [, , folder] = process.argv;
const { n8n } = require(join(folder, 'package.json'));

function load(file) {
  const [className] = basename(file).split('.');
  const instance = new (require(join(folder, file))[className])();
  const { name, properties } = instance.description ?? instance;
  return { name, properties: properties.length };
}

const credentials = n8n.credentials.map(load);
const nodes = n8n.nodes.map(load);
const own = Object.keys(require.cache)
  .map((path) => relative(folder, path).split(sep).join('/'))
  .filter((path) => path.startsWith('dist/'));
/** As the editor calls it. */
const { methods } = new (require(join(folder, n8n.nodes[0])).MediaService)();
const lists = Object.keys(methods.listSearch);
const work = Object.keys(require(join(folder, 'dist', 'nodes', 'loaded-at-first-use.js')));
void methods.resourceMapping.batchColumns().then(({ fields }) => {
  const loaded = { credentials, nodes, own, work, lists, columns: fields.length };
  process.stdout.write(JSON.stringify({ node: process.versions.node, ...loaded }));
});
