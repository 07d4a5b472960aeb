import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type Packed, ROOT, pack, run } from '../support/pack';

let nodes: Packed;
let second: Packed;

beforeAll(async () => {
  [nodes, second] = await Promise.all([pack('n8n-nodes-media-service'), pack('media-service')]);
  for (const { tarball, size, files } of [nodes, second]) {
    const [packedMb, unpackedMb] = [size.packed, size.unpacked].map((bytes) => (bytes / 1e6).toFixed(2));
    process.stderr.write(
      `${tarball}: ${packedMb} MB packed, ${unpackedMb} MB unpacked, ${files.length} files\n`,
    );
  }
});

afterAll(() => Promise.all([nodes.dir.remove(), second.dir.remove()]));

test('the nodes package holds only what n8n loads or shows, and the licences of what is bundled', () => {
  const others = nodes.files.filter(
    (path) => !/^dist\/((nodes|credentials)\/.*\.(js|json)|icons\/\w+(\.dark)?\.svg)$/.test(path),
  );
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'dist/THIRD-PARTY-LICENSES.txt', 'package.json']);
});

test('the second package holds code, declarations, docs and licences, but no tests, sources or build state', () => {
  const others = second.files.filter(
    (path) => !/^(dist\/.*\.(js|d\.ts)|docs\/(operations\/)?[\w-]+\.md)$/.test(path),
  );
  expect(others.sort()).toEqual([
    'LICENSE',
    'README.md',
    'dist/temporal/THIRD-PARTY-LICENSES.txt',
    'package.json',
  ]);
  expect(second.files.filter((path) => /^dist\/(nodes|credentials|n8n)\//.test(path))).toEqual([]);
});

test('every document that a message names is in the package', async () => {
  const scripts = second.files.filter((path) => /^dist\/(cli|settings)\/.*\.js$/.test(path));
  const texts = await Promise.all(scripts.map((path) => readFile(join(second.folder, path), 'utf8')));
  const named = [...new Set(texts.flatMap((text) => text.match(/docs\/[\w/-]+\.md/g) ?? []))];
  expect(named).toContain('docs/configuration.md');
  expect(named.filter((path) => !second.files.includes(path))).toEqual([]);
});

test('every node has its metadata, and every icon that a node or credential names exists', async () => {
  const named = await iconsNamed();
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((path) => !nodes.files.includes(path))).toEqual([]);
  const files = nodes.files.filter((path) => path.endsWith('.node.js'));
  expect(files.filter((path) => !nodes.files.includes(path.replace(/\.js$/, '.json')))).toEqual([]);
});

test('the workflow bundle names no folder of the machine that built it', async () => {
  const bundle = await readFile(join(second.folder, 'dist/temporal/workflow-bundle.js'), 'utf8');
  expect(bundle.includes(ROOT)).toBe(false);
});

test('the command can be executed', async () => {
  const { mode } = await stat(join(second.folder, 'dist/cli/main.js'));
  expect(mode & 0o111).toBe(0o111);
});

test('--help loads no library, and nothing that only a command needs', async () => {
  const main = join(second.folder, 'dist/cli/main.js');
  const code =
    "process.on('exit', () => console.error(JSON.stringify(Object.keys(require.cache)))); require(process.argv[1]);";
  const { stdout, stderr } = await run(process.execPath, ['-e', code, main, '--help'], second.folder);
  expect(stdout).toContain('media-service upload FILE --wait');
  const loaded = (JSON.parse(stderr) as string[]).map((path) => relative(second.folder, path));
  expect(loaded.sort()).toEqual([
    'dist/api/clock.js',
    'dist/api/json.js',
    'dist/cli/main.js',
    'dist/temporal/worker/package-version.js',
  ]);
});

test('publint finds nothing, not even a suggestion', async () => {
  const cli = join(ROOT, 'node_modules/publint/src/cli.js');
  for (const { folder } of [nodes, second]) {
    const { stdout } = await run(process.execPath, [cli, folder, '--pack', 'false', '--strict'], folder);
    expect(stdout).toContain('All good!');
  }
});

/** Icons that nodes and credentials name, relative to one of these folders. */
async function iconsNamed(): Promise<string[]> {
  const text = await readFile(join(nodes.folder, 'dist/nodes/loaded-by-n8n.js'), 'utf8');
  const folders = nodes.files.filter((path) => /\.(node|credentials)\.js$/.test(path)).map(dirname);
  return [...text.matchAll(/file:([^'"`]+\.svg)/g)].map(([, icon = '']) => {
    const paths = [...new Set(folders)].map((folder) => join(folder, icon));
    return paths.find((path) => nodes.files.includes(path)) ?? icon;
  });
}
