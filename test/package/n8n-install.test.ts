import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, stat, symlink } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { installAsN8nDoes } from '../support/install-as-n8n';
import { type Packed, ROOT, pack, unpack } from '../support/pack';

interface Loaded {
  readonly node: string;
  readonly credentials: readonly { readonly name: string; readonly properties: number }[];
  readonly nodes: readonly { readonly name: string; readonly properties: number }[];
  /** Files of the package that its start loads, as paths in it. */
  readonly own: readonly string[];
  /** Names of the classes that do the work. */
  readonly work: readonly string[];
  /** What the editor asks the node for: its lists, and how many columns a batch has. */
  readonly lists: readonly string[];
  readonly columns: number;
}

interface Manifest {
  readonly n8n: { readonly credentials: readonly string[]; readonly nodes: readonly string[] };
}

let packed: Packed;
let folder: string;
let manifest: Manifest;
let answer: Loaded;

beforeAll(async () => {
  packed = await pack('n8n-nodes-media-service');
  folder = join(packed.dir.path, 'nodes', 'node_modules', 'n8n-nodes-media-service');
  await unpack(packed.tarball, folder);
  await installAsN8nDoes(folder);
  manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
  // Only n8n-workflow: all of our dependencies would hide what the package lacks.
  const host = join(packed.dir.path, 'host', 'node_modules');
  await mkdir(host, { recursive: true });
  await symlink(join(ROOT, 'node_modules', 'n8n-workflow'), join(host, 'n8n-workflow'), 'junction');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(ROOT, 'test/support/load-package.cjs'), folder],
    { cwd: packed.dir.path, env: { ...process.env, NODE_PATH: host } },
  );
  answer = JSON.parse(stdout) as Loaded;
});

afterAll(() => packed.dir.remove());

test('every credential and node of the manifest loads on the Node that n8n needs', () => {
  expect(Number(answer.node.split('.')[0])).toBeGreaterThanOrEqual(24);
  expect(answer.credentials.map(({ name }) => name)).toEqual(['mediaServiceApi', 'mediaServiceWorkerApi']);
  expect(answer.nodes).toHaveLength(manifest.n8n.nodes.length);
  expect(answer.nodes[0]?.name).toBe('mediaService');
  const empty = [...answer.credentials, ...answer.nodes].filter(({ properties }) => properties === 0);
  expect(empty).toEqual([]);
});

test('n8n installs below 1 MB, with no further package', async () => {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const own = files.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const sizes = await Promise.all(own.map(async (path) => (await stat(path)).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  process.stderr.write(`package: n8n installs ${(bytes / 1e6).toFixed(2)} MB\n`);
  expect(bytes).toBeLessThan(1_000_000);
  expect(own.filter((path) => relative(folder, path).includes('node_modules'))).toEqual([]);
});

test('what nodes do loads with no package but n8n-workflow', () => {
  const classes = [...manifest.n8n.credentials, ...manifest.n8n.nodes].map(
    (path) => basename(path).split('.')[0],
  );
  expect([...answer.work].sort()).toEqual([...classes].sort());
});

test('the editor can ask the installed node for its lists and columns', () => {
  expect(answer).toMatchObject({ lists: ['uploads', 'batches'], columns: 11 });
});

test('loading reads one file besides those that the manifest names: no library, and not what nodes do', () => {
  const pointers = [...manifest.n8n.credentials, ...manifest.n8n.nodes];
  expect([...answer.own].sort()).toEqual([...pointers, 'dist/nodes/loaded-by-n8n.js'].sort());
});
