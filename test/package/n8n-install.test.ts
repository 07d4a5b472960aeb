import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installAsN8nDoes } from '../support/install-as-n8n';
import { type Packed, ROOT, pack, unpack } from '../support/pack';

interface Loaded {
  readonly node: string;
  readonly credentials: readonly { readonly name: string; readonly properties: number }[];
  readonly nodes: readonly { readonly name: string; readonly properties: number }[];
  readonly resolvable: readonly string[];
  readonly loaded: readonly string[];
  /** Files of the package, as paths in it. */
  readonly own: readonly string[];
}

interface Manifest {
  readonly n8n: { readonly credentials: readonly string[]; readonly nodes: readonly string[] };
}

let packed: Packed;
let manifest: Manifest;
let answer: Loaded;

beforeAll(async () => {
  packed = await pack();
  const folder = join(packed.dir.path, 'nodes', 'node_modules', 'n8n-nodes-media-service');
  await unpack(packed.tarball, folder);
  await installAsN8nDoes(folder);
  manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(ROOT, 'test/support/load-package.cjs'), folder],
    {
      cwd: packed.dir.path,
      env: { ...process.env, NODE_PATH: await hostModules(packed.dir.path) },
    },
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

test("n8n gets only the client of Temporal's packages, and none of the command's libraries", () => {
  expect(answer.resolvable).toEqual(['@temporalio/client']);
});

test('loading the nodes does not load Temporal, which would cost start-up time and memory', () => {
  expect(
    answer.loaded.filter((name) => name.startsWith('@temporalio/') || name.startsWith('@grpc/')),
  ).toEqual([]);
  expect(answer.loaded).toContain('n8n-workflow');
});

test('loading reads one file besides those that the manifest names: no library, and not what nodes do', () => {
  const pointers = [...manifest.n8n.credentials, ...manifest.n8n.nodes];
  expect([...answer.own].sort()).toEqual([...pointers, 'dist/nodes/loaded-by-n8n.js'].sort());
});

/** A folder for NODE_PATH with only n8n-workflow. All of our dependencies in it would hide what the package lacks. */
async function hostModules(base: string): Promise<string> {
  const folder = join(base, 'host', 'node_modules');
  await mkdir(folder, { recursive: true });
  await symlink(join(ROOT, 'node_modules', 'n8n-workflow'), join(folder, 'n8n-workflow'), 'junction');
  return folder;
}
