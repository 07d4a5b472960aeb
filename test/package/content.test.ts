import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Packed, ROOT, pack, run } from '../support/pack';

let packed: Packed;

beforeAll(async () => {
  packed = await pack();
  const [packedMb, unpackedMb] = [packed.size.packed, packed.size.unpacked].map((bytes) =>
    (bytes / 1e6).toFixed(2),
  );
  process.stderr.write(
    `package: ${packedMb} MB packed, ${unpackedMb} MB unpacked, ${packed.files.length} files\n`,
  );
}, 60_000);

afterAll(() => packed.dir.remove());

test('the package holds dist, workflows, README, LICENSE, package.json and nothing else', () => {
  const topLevel = new Set(packed.files.map((path) => path.split('/')[0]));
  expect([...topLevel].sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json', 'workflows']);
});

test('dist holds code, declarations, icons, node metadata and licences, no tests, sources or build state', () => {
  const dist = packed.files.filter((path) => path.startsWith('dist/'));
  const other = dist.filter(
    (path) => !/\.(js|d\.ts|svg|node\.json)$|\/THIRD-PARTY-LICENSES\.txt$/.test(path),
  );
  expect(other).toEqual([]);
  expect(dist).toContain('dist/THIRD-PARTY-LICENSES.txt');
  expect(dist).toContain('dist/temporal/workflow-bundle.js');
});

test('every node has its metadata and every icon that a node or credential names is there', async () => {
  const named = await iconsNamedIn(packed.files.filter((path) => /\.(node|credentials)\.js$/.test(path)));
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

async function iconsNamedIn(files: readonly string[]): Promise<string[]> {
  const perFile = await Promise.all(
    files.map(async (path) => {
      const text = await readFile(join(packed.folder, path), 'utf8');
      return [...text.matchAll(/file:([^'"`]+\.svg)/g)].map(([, icon]) => join(path, '..', icon ?? ''));
    }),
  );
  return perFile.flat();
}
