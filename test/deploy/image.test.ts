import { chmod, chown, copyFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Simulator } from '../../simulator/start-simulator';
import { startSimulator } from '../../simulator/start-simulator';
import { startBuilt, type RunningProgram } from '../support/built-command';
import { freePort } from '../support/free-port';
import { type Packed, ROOT, pack, run } from '../support/pack';
import { startTemporalServer, type TemporalServer } from '../support/temporal-server';
import { DEPLOY } from './deploy-files';

/** As in the last lines of the image. */
const USER = 1000;

interface Locked {
  readonly version?: string;
}

let packed: Packed;
let dockerfile: string;
let app: string;
let node: string;
let temporal: TemporalServer;
let simulator: Simulator;

/** The text after an instruction within a stage, with its lines joined as the shell gets them. */
function instruction(stage: string, name: string): string {
  const [, text = ''] = new RegExp(` AS ${stage}\n(.*?)(?:\nFROM |$)`, 's').exec(dockerfile) ?? [];
  const [, found] = new RegExp(`^${name} ((?:.*\\\\\n)*.*)`, 'm').exec(text.replaceAll(/^#.*\n/gm, '')) ?? [];
  if (found === undefined) throw new Error(`The stage ${stage} has no ${name}.`);
  return found;
}

beforeAll(async () => {
  dockerfile = await readFile(join(DEPLOY, 'docker', 'Dockerfile'), 'utf8');
  [packed, temporal, simulator] = await Promise.all([
    pack('media-service'),
    startTemporalServer(),
    startSimulator(),
  ]);
  // The user of the worker must be able to enter it.
  await chmod(packed.dir.path, 0o755);
  app = join(packed.dir.path, 'app');
  await mkdir(app);
  for (const name of ['package-lock.json', '.npmrc']) await copyFile(join(ROOT, name), join(app, name));
  const install = instruction('app', 'RUN').replace('/tmp/package.tgz', packed.tarball);
  await run('/bin/sh', ['-c', install], app);
  node = join(packed.dir.path, 'node');
  await copyFile(process.execPath, node);
});

afterAll(async () => {
  await temporal.stop();
  await simulator.close();
  await packed.dir.remove();
});

/** Starts the image's worker in folders that it can't write, as the image's user if these tests run as root. */
async function startWorker(health: number, metrics: number): Promise<RunningProgram> {
  const folders = ['empty', 'spool', 'accounts'].map((name) => join(packed.dir.path, name));
  await Promise.all(folders.map((path) => mkdir(path)));
  const { baseUrl, uploadUrl } = simulator;
  const [empty = '', spool = '', accounts = ''] = folders;
  const asRoot = process.getuid?.() === 0;
  await writeFile(join(accounts, 'acme.json'), JSON.stringify({ ...simulator.account, baseUrl, uploadUrl }));
  if (asRoot) await chown(spool, USER, USER);
  await chmod(empty, 0o555);
  const [, grace = ''] =
    /--grace=(\w+)/.exec(await readFile(join(DEPLOY, 'compose/compose.yaml'), 'utf8')) ?? [];
  const words = ['worker', '--health', String(health), '--metrics', String(metrics), '--grace', grace];
  return startBuilt(words, {
    cwd: empty,
    program: [node, join(app, 'dist', 'cli', 'main.js')],
    env: {
      NODE_COMPILE_CACHE: '',
      NODE_ENV: 'production',
      TEMPORAL_ADDRESS: temporal.address,
      MEDIA_SERVICE_ACCOUNTS: accounts,
      MEDIA_SERVICE_SPOOL_DIR: spool,
    },
    ...(asRoot ? { uid: USER } : {}),
  });
}

test("the image holds Temporal's core only for its own kind of machine, and nothing for developers", async () => {
  const modules = join(app, 'node_modules');
  const cores = await readdir(join(modules, '@temporalio', 'core-bridge', 'releases'));
  expect(cores).toEqual([expect.stringMatching(/^(x86_64|aarch64)-unknown-linux-gnu$/)]);
  const names = await readdir(modules);
  for (const name of ['typescript', 'jest', 'n8n-workflow', 'eslint']) expect(names).not.toContain(name);
});

/** The version of every package in a lock file, or in npm's copy of it beside the packages. */
async function versionsIn(path: string): Promise<Record<string, string | undefined>> {
  const { packages } = JSON.parse(await readFile(path, 'utf8')) as { packages: Record<string, Locked> };
  return Object.fromEntries(Object.entries(packages).map(([name, { version }]) => [name, version]));
}

test('the image holds every package in the version of the lock file', async () => {
  const installed = await versionsIn(join(app, 'node_modules', '.package-lock.json'));
  expect(Object.keys(installed).length).toBeGreaterThan(100);
  expect(await versionsIn(join(ROOT, 'package-lock.json'))).toMatchObject(installed);
});

test('the image runs without privileges, without a home folder and on read-only folders', async () => {
  const port = await freePort();
  const metrics = await freePort();
  const worker = await startWorker(port, metrics);
  await worker.until('Ready: polls media-service.demo-studio-');

  const [program, ...words] = JSON.parse(
    /CMD (\[.*\])/.exec(instruction('worker', 'HEALTHCHECK'))?.[1] ?? '[]',
  ) as string[];
  expect(program).toBe('node');
  const check = words.map((word) => word.replace(':8080/', `:${port}/`));
  await run(node, check, app);

  // The names that alerts and dashboard use: Temporal's counters have the same ending as ours.
  const page = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
  expect(page).toMatch(/^media_service_worker_ready 1$/m);
  expect(page).toMatch(/^temporal_worker_start_total\{.*task_queue="media-service\.demo-studio-/m);

  worker.signal('SIGTERM');
  expect((await worker.ended).exit).toBe(0);
  await expect(run(node, check, app)).rejects.toMatchObject({ code: 1 });
});
