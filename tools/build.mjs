/** `npm run build`: compiles into dist, with everything that the package needs. Does nothing if dist is fresh. */
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { exists, root } from './folders.mjs';
import { filesOf, hashOf } from './inputs-hash.mjs';
import { ensureInstalled } from './install.mjs';
import { withLock } from './lock.mjs';
import { pruneDeclarations } from './prune-declarations.mjs';
import { run } from './run.mjs';

const ROOMS = [
  'api',
  'files',
  'client',
  'manifest',
  'reports',
  'settings',
  'simulator',
  'temporal',
  'credentials',
  'n8n',
  'nodes',
  'gateway',
  'cli',
];
/** The files that decide whether a build is fresh. */
export const INPUTS = [
  ...ROOMS,
  'icons',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tools/build.mjs',
  'tools/bundle-libraries.mjs',
  'tools/bundle-nodes.mjs',
  'tools/bundle-workflows.mjs',
  'tools/prune-declarations.mjs',
];
const STAMP = '.inputs';
const COMMAND = 'cli/main.js';

/**
 * Compares dist with the sources: missing, stale, or fresh.
 * @param {string} project the project's folder
 * @returns {Promise<'missing' | 'stale' | 'fresh'>}
 */
export async function stateOfDist(project = root) {
  // Undefined: nothing was built.
  const built = await readFile(join(project, 'dist', STAMP), 'utf8').catch(() => undefined);
  if (built === undefined) return 'missing';
  return built === (await hashOf(project, INPUTS)) ? 'fresh' : 'stale';
}

/** Builds dist unless it matches the sources. */
export async function ensureBuilt() {
  const dist = join(root, 'dist');
  const project = createHash('sha256').update(root).digest('hex').slice(0, 8);
  await withLock(`dist-${project}`, async () => {
    if ((await stateOfDist()) === 'fresh') return;
    const inputs = await hashOf(root, INPUTS);
    process.stderr.write('build: compiling into dist (about half a minute).\n');
    const unfinished = join(root, 'node_modules', '.cache', 'media-service', `dist.${process.pid}`);
    try {
      await buildInto(unfinished);
      await writeFile(join(unfinished, STAMP), inputs);
      await rm(dist, { recursive: true, force: true });
      await rename(unfinished, dist);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  });
}

async function buildInto(dist) {
  await run(process.execPath, [join('node_modules', 'typescript-native', 'bin', 'tsc'), '--outDir', dist], {
    cwd: root,
  });
  // Loaded late, because npm may have installed these libraries only a moment ago.
  const { bundleLibraries, importedOfLibraries, writeLicences } = await import('./bundle-libraries.mjs');
  const { bundleNodes } = await import('./bundle-nodes.mjs');
  const { bundleWorkflows } = await import('./bundle-workflows.mjs');
  const imported = await importedOfLibraries(ROOMS);
  await writeLicences(dist, await bundleLibraries(dist, imported));
  await writeLicences(join(dist, 'temporal'), await bundleWorkflows(dist));
  await bundleNodes(dist, imported);
  await copyAssets(dist);
  await finishCommand(join(dist, COMMAND));
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await pruneDeclarations(
    dist,
    Object.values(manifest.exports).flatMap(({ types = [] }) => types),
  );
  await requireEntries(dist, manifest);
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

async function finishCommand(file) {
  const text = await readFile(file, 'utf8');
  if (!text.startsWith('#!/usr/bin/env node\n')) throw new Error(`${COMMAND} has no #! line.`);
  await chmod(file, 0o755);
}

/** Otherwise a package whose manifest names a missing file would fail only when a user loads it. */
async function requireEntries(dist, manifest) {
  const named = [
    ...Object.values(manifest.bin),
    ...Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === 'string' ? [] : Object.values(entry),
    ),
    ...manifest.n8n.credentials,
    ...manifest.n8n.nodes,
  ];
  for (const path of named) {
    const file = join(dist, relative('dist', path));
    if (!(await exists(file))) throw new Error(`package.json names ${path}, which the build does not make.`);
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
