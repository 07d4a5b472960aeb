/** `npm run build`: makes both packages, with everything that they need. Does nothing if they are fresh. */
import { chmod, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { root } from './folders.mjs';
import { filesOf, hashOf } from './inputs-hash.mjs';
import { ensureInstalled } from './install.mjs';
import { writeLicences } from './licences.mjs';
import { TOP_ROOMS } from './lint/rooms.mjs';
import { run } from './run.mjs';

/** The second package: the command, the worker and the TypeScript client. */
const SECOND = 'packages/media-service';
const DISTS = ['dist', `${SECOND}/dist`];
/** The files that decide whether a build is fresh. */
const INPUTS = [
  ...[...TOP_ROOMS, 'icons', 'package.json', 'package-lock.json', `${SECOND}/package.json`],
  ...['tsconfig.json', 'tools/build.mjs', 'tools/bundle-command.mjs', 'tools/bundle-nodes.mjs'],
  ...['tools/bundle-workflows.mjs', 'tools/licences.mjs'],
];
const STAMP = '.inputs';

/** Whether both packages are as the sources would make them. */
async function isFresh(inputs) {
  // Undefined: nothing was built.
  const read = (dist) => readFile(join(root, dist, STAMP), 'utf8').catch(() => undefined);
  return (await Promise.all(DISTS.map(read))).every((stamp) => stamp === inputs);
}

let building;

/** Builds both packages unless they match the sources. */
export async function ensureBuilt() {
  building ??= buildBoth();
  await building;
}

async function buildBoth() {
  await copyDocuments();
  const inputs = await hashOf(root, INPUTS);
  if (await isFresh(inputs)) return;
  process.stderr.write('build: making both packages (about half a minute).\n');
  const unfinished = join(root, 'node_modules', '.cache', 'media-service', `build.${process.pid}`);
  try {
    for (const [dist, build] of [
      [DISTS[0], buildNodes],
      [DISTS[1], buildSecond],
    ]) {
      const folder = join(unfinished, dist);
      await mkdir(folder, { recursive: true });
      await build(folder, JSON.parse(await readFile(join(root, dist, '..', 'package.json'), 'utf8')));
      await writeFile(join(folder, STAMP), inputs);
      await rm(join(root, dist), { recursive: true, force: true });
      await rename(folder, join(root, dist));
    }
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** What n8n installs. The bundlers are loaded late, because npm may have installed them only a moment ago. */
export async function buildNodes(dist, manifest) {
  const { bundleNodes } = await import('./bundle-nodes.mjs');
  await writeLicences(dist, await bundleNodes(dist, manifest));
  await copyAssets(dist);
}

/** The command, the worker, the client and the simulator. */
async function buildSecond(dist, { bin }) {
  const tsc = join('node_modules', 'typescript-native', 'bin', 'tsc');
  await run(process.execPath, [tsc, '--outDir', dist], { cwd: root });
  const { bundleWorkflows } = await import('./bundle-workflows.mjs');
  const { bundleCommand } = await import('./bundle-command.mjs');
  const packages = [...(await bundleWorkflows(dist)), ...(await bundleCommand(dist))];
  await writeLicences(join(dist, 'temporal'), packages);
  for (const path of Object.values(bin)) await chmod(join(dist, relative('dist', path)), 0o755);
}

/** npm packs no file from outside a package's folder. Pictures stay in the repository. */
async function copyDocuments() {
  const [docs, copied] = [join(root, 'docs'), join(root, SECOND, 'docs')];
  await rm(copied, { recursive: true, force: true });
  for (const file of (await filesOf(docs)).filter((path) => path.endsWith('.md')))
    await cp(file, join(copied, relative(docs, file)));
  await cp(join(root, 'LICENSE'), join(root, SECOND, 'LICENSE'));
}

async function copyAssets(dist) {
  const rooms = await Promise.all(['nodes', 'credentials', 'icons'].map((room) => filesOf(join(root, room))));
  for (const file of rooms.flat().filter((path) => /\.(svg|node\.json)$|\/__schema__\//.test(path))) {
    const target = join(dist, relative(root, file));
    await mkdir(dirname(target), { recursive: true });
    if (file.endsWith('.json'))
      await writeFile(target, JSON.stringify(JSON.parse(await readFile(file, 'utf8'))));
    else await cp(file, target);
  }
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  ensureInstalled()
    .then(ensureBuilt)
    .catch((error) => {
      process.stderr.write(`build: ${error.message}\n`);
      process.exitCode = 1;
    });
}
