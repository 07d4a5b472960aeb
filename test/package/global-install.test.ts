import { mkdir, readFile, readdir, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { minVersion, satisfies } from 'semver';
import { engines } from '../../package.json';
import { connectTemporal } from '../../temporal/client/connect';
import { startSimulator } from '../../simulator/start-simulator';
import { runBuilt, startBuilt } from '../support/built-command';
import { accountEnv } from '../support/command';
import { type Packed, npm, pack, run } from '../support/pack';
import { writeSourceFile } from '../support/source-file';
import { startTemporalServer } from '../support/temporal-server';
import { toolPath } from '../support/tool-path';
import { untilPolled } from '../support/until-polled';

interface Manifest {
  readonly engines?: { readonly node: string };
}

const isWin32 = process.platform === 'win32';
let packed: Packed;
let prefix: string;
let modules: string;

beforeAll(async () => {
  packed = await pack('media-service');
  prefix = join(packed.dir.path, 'global');
  modules = join(prefix, ...(isWin32 ? [] : ['lib']), 'node_modules');
  await npm(
    ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', packed.tarball],
    packed.dir.path,
  );
});

afterAll(() => packed.dir.remove());

function command(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return run(join(prefix, isWin32 ? 'media-service.cmd' : 'bin/media-service'), args, packed.dir.path);
}

test('after a global installation, the command lists its commands', async () => {
  const { stdout } = await command('--help');
  for (const name of ['login', 'search', 'deliveries', 'upload', 'uploads', 'worker', 'simulator']) {
    expect(stdout).toContain(name);
  }
});

test('npx runs the command', async () => {
  const cache = join(packed.dir.path, 'cache');
  await mkdir(cache);
  const { stdout: shared } = await npm(['config', 'get', 'cache'], packed.dir.path);
  // npx installs into its cache, and would leave each test's package there.
  await symlink(join(shared.trim(), '_cacache'), join(cache, '_cacache'), 'junction');
  const flags = ['--yes', '--cache', cache, '--package', packed.tarball];
  const { stdout } = await run('npx', [...flags, 'media-service', '--version'], packed.dir.path);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('the HTTP client is the one of our tests, in its version 8', async () => {
  const found = createRequire(join(modules, 'media-service', 'x.js')).resolve('undici/package.json');
  expect(JSON.parse(await readFile(found, 'utf8'))).toMatchObject({
    version: expect.stringMatching(/^8\./),
  });
});

test.each([
  ['media-service/api', 'parseWhen'],
  ['media-service/temporal', 'startUpload'],
  ['media-service/temporal/worker', 'runWorker'],
])('%s can be required and exports %s', async (entry, name) => {
  const script = `process.stdout.write(typeof require('node:module').createRequire(process.argv[1])(process.argv[2])[process.argv[3]])`;
  const { stdout } = await run(
    process.execPath,
    ['-e', script, join(modules, 'x.js'), entry, name],
    packed.dir.path,
  );
  expect(stdout).toBe('function');
});

test('every package that is installed with it runs on the oldest Node that it allows', async () => {
  const manifests = (await readdir(modules, { recursive: true })).filter((path) =>
    /(^|\/)node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(path),
  );
  expect(manifests.length).toBeGreaterThan(50);
  const wanted = await Promise.all(
    manifests.map(async (path) => {
      const manifest = JSON.parse(await readFile(join(modules, path), 'utf8')) as Manifest;
      return { path, node: manifest.engines?.node ?? '*' };
    }),
  );
  const oldest = minVersion(engines.node)?.version ?? '';
  expect(wanted.filter(({ node }) => !satisfies(oldest, node))).toEqual([]);
});

test('on the oldest Node that the package allows, a worker uploads a file that the command hands over to it', async () => {
  const cwd = join(packed.dir.path, 'oldest-node');
  await mkdir(join(cwd, 'spool'), { recursive: true });
  const sha256 = await writeSourceFile(join(cwd, 'film.mp4'), 6_000_000, 'oldest node');
  const [node, temporal, simulator] = await Promise.all([
    toolPath('oldest-node'),
    startTemporalServer(),
    startSimulator(),
  ]);
  const context = {
    cwd,
    program: [node, join(modules, 'media-service', 'dist', 'cli', 'main.js')] as const,
    env: {
      ...accountEnv({ ...simulator.account, baseUrl: simulator.baseUrl, uploadUrl: simulator.uploadUrl }),
      TEMPORAL_ADDRESS: temporal.address,
      MEDIA_SERVICE_FILE_ROOTS: cwd,
      MEDIA_SERVICE_SPOOL_DIR: join(cwd, 'spool'),
    },
  };
  try {
    expect(`>=${(await run(node, ['--version'], cwd)).stdout.slice(1)}`).toBe(`${engines.node}.0\n`);
    const connection = await connectTemporal(temporal);
    const worker = await startBuilt(['worker', '--json'], context);
    try {
      await worker.until('"ready":true');
      // The first poll arrives a moment later. Until then the command warns that nobody serves its queue.
      const { queues } = JSON.parse(worker.stdout()) as { queues: string[] };
      await untilPolled(connection, queues.slice(0, 1));
      // Only what is built shows it: a test compiles the sources in another way.
      await worker.until('"engine":"lanes"');
      const ended = await runBuilt(['upload', 'film.mp4', '--wait', '--json'], context);
      expect(ended).toMatchObject({ exit: 0, stderr: '' });
      expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'COMPLETED' });
    } finally {
      worker.signal('SIGTERM');
      await connection.close();
    }
    expect((await worker.ended).exit).toBe(0);
    const [session] = simulator.seen().sessions;
    expect(await simulator.objectSha256(session?.keyName ?? 'none')).toBe(sha256);
  } finally {
    await Promise.all([temporal.stop(), simulator.close()]);
  }
});
