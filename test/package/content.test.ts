import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Packed, ROOT, pack, run } from '../support/pack';

/** Files that n8n does not load: for the command, the worker, users' own programs and readers. */
const OPTIONAL =
  /^(docs|workflows|dist\/(api|cli|client|manifest|files|gateway|reports|settings|simulator|temporal))\//;

let packed: Packed;

beforeAll(async () => {
  packed = await pack();
  const [packedMb, unpackedMb] = [packed.size.packed, packed.size.unpacked].map((bytes) =>
    (bytes / 1e6).toFixed(2),
  );
  process.stderr.write(
    `package: ${packedMb} MB packed, ${unpackedMb} MB unpacked, ${packed.files.length} files\n`,
  );
});

afterAll(() => packed.dir.remove());

test('the package holds dist, docs, workflows, README, LICENSE, package.json and nothing else', () => {
  const topLevel = new Set(packed.files.map((path) => path.split('/')[0]));
  expect([...topLevel].sort()).toEqual(['LICENSE', 'README.md', 'dist', 'docs', 'package.json', 'workflows']);
});

test('dist holds code, declarations, icons, node metadata and licences, but no tests, sources or build state', () => {
  const dist = packed.files.filter((path) => path.startsWith('dist/'));
  const other = dist.filter(
    (path) => !/\.(js|d\.ts|svg|node\.json)$|\/__schema__\/.*\.json$|\/THIRD-PARTY-LICENSES\.txt$/.test(path),
  );
  expect(other).toEqual([]);
  expect(dist).toContain('dist/THIRD-PARTY-LICENSES.txt');
  expect(dist).toContain('dist/temporal/workflow-bundle.js');
});

test('what n8n needs is below 1 MB; the API, the command with its worker, the simulator and templates are optional parts', async () => {
  const needed = packed.files.filter((path) => !OPTIONAL.test(path));
  const sizes = await Promise.all(needed.map(async (path) => (await stat(join(packed.folder, path))).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  process.stderr.write(`package: ${(bytes / 1e6).toFixed(2)} MB of it without the optional parts\n`);
  expect(needed).toEqual(
    expect.arrayContaining(['dist/nodes/loaded-by-n8n.js', 'dist/nodes/loaded-at-first-use.js']),
  );
  expect(bytes).toBeLessThan(1_000_000);
});

test('every document that a message names is in the package', async () => {
  const scripts = packed.files.filter((path) => /^dist\/(cli|settings)\/.*\.js$/.test(path));
  const texts = await Promise.all(scripts.map((path) => readFile(join(packed.folder, path), 'utf8')));
  const named = [...new Set(texts.flatMap((text) => text.match(/docs\/[\w/-]+\.md/g) ?? []))];
  expect(named).toContain('docs/configuration.md');
  expect(named.filter((path) => !packed.files.includes(path))).toEqual([]);
});

test('declarations exist only for the entries of the package', () => {
  const declared = packed.files.filter((path) => path.endsWith('.d.ts'));
  expect(declared).toContain('dist/client/index.d.ts');
  expect(declared).toContain('dist/temporal/worker/index.d.ts');
  expect(declared.filter((path) => /^dist\/(nodes|credentials|cli|simulator)\//.test(path))).toEqual([]);
});

test('every node has its metadata, and every icon that a node or credential names exists', async () => {
  const named = await iconsNamed();
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((path) => !packed.files.includes(path))).toEqual([]);
  const nodes = packed.files.filter((path) => path.endsWith('.node.js'));
  expect(nodes.filter((path) => !packed.files.includes(path.replace(/\.js$/, '.json')))).toEqual([]);
});

test('the workflow bundle names no folder of the machine that built it', async () => {
  const bundle = await readFile(join(packed.folder, 'dist/temporal/workflow-bundle.js'), 'utf8');
  expect(bundle.includes(ROOT)).toBe(false);
});

test('the command can be executed', async () => {
  const { mode } = await stat(join(packed.folder, 'dist/cli/main.js'));
  expect(mode & 0o111).toBe(0o111);
});

test('publint finds nothing, not even a suggestion', async () => {
  const cli = join(ROOT, 'node_modules/publint/src/cli.js');
  const { stdout } = await run(
    process.execPath,
    [cli, packed.folder, '--pack', 'false', '--strict'],
    packed.folder,
  );
  expect(stdout).toContain('All good!');
});

/** Icons that nodes and credentials name, relative to one of these folders. */
async function iconsNamed(): Promise<string[]> {
  const text = await readFile(join(packed.folder, 'dist/nodes/loaded-by-n8n.js'), 'utf8');
  const folders = packed.files.filter((path) => /\.(node|credentials)\.js$/.test(path)).map(dirname);
  return [...text.matchAll(/file:([^'"`]+\.svg)/g)].map(([, icon = '']) => {
    const paths = [...new Set(folders)].map((folder) => join(folder, icon));
    return paths.find((path) => packed.files.includes(path)) ?? icon;
  });
}
