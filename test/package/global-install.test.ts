import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Packed, ROOT, npm, pack, run } from '../support/pack';

const isWin32 = process.platform === 'win32';
let packed: Packed;
let prefix: string;

beforeAll(async () => {
  packed = await pack();
  prefix = join(packed.dir.path, 'global');
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
  for (const name of ['login', 'search', 'webhooks', 'upload', 'uploads', 'worker', 'simulator']) {
    expect(stdout).toContain(name);
  }
});

test('after a global installation, the command prints the version of package.json', async () => {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect((await command('--version')).stdout.trim()).toBe(version);
});

test.each([
  ['n8n-nodes-media-service/api', 'parseWhen'],
  ['n8n-nodes-media-service/temporal', 'startUpload'],
  ['n8n-nodes-media-service/temporal/worker', 'runWorker'],
])('%s can be required and exports %s', async (entry, name) => {
  const modules = join(prefix, ...(isWin32 ? [] : ['lib']), 'node_modules');
  const script = `process.stdout.write(typeof require('node:module').createRequire(process.argv[1])(process.argv[2])[process.argv[3]])`;
  const { stdout } = await run(
    process.execPath,
    ['-e', script, join(modules, 'x.js'), entry, name],
    packed.dir.path,
  );
  expect(stdout).toBe('function');
});
