import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand, type CommandEnd } from '../support/command';
import { createTempDir, type TempDir } from '../support/temp-dir';

let home: TempDir;
let file: string;
beforeEach(async () => {
  home = await createTempDir('cli-settings');
  file = join(home.path, '.config', 'media-service', 'settings.env');
});
afterEach(() => home.remove());

const ENV = {
  MEDIA_SERVICE_BASE_URL: 'http://127.0.0.1:9',
  MEDIA_SERVICE_UPLOAD_URL: 'http://127.0.0.1:9',
  MEDIA_SERVICE_API_KEY: 'api-key',
  MEDIA_SERVICE_SECRET_KEY: 'secret-key-value',
  MEDIA_SERVICE_EXTERNAL_ID: 'acme',
};

function run(words: readonly string[], env: Record<string, string> = {}): Promise<CommandEnd> {
  return runCommand(words, { cwd: home.path, env });
}

it('variables that one terminal saves are known in every other terminal', async () => {
  expect((await run(['login'])).stderr).toContain('Not set: MEDIA_SERVICE_BASE_URL');
  const saved = await run(['settings', 'save'], ENV);
  expect(saved).toEqual({
    exit: 0,
    stdout: `Saved to ${file}: ${Object.keys(ENV).join(', ')}.\n`,
    stderr: '',
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const login = await run(['login']);
  expect([login.exit, login.stderr]).toEqual([6, expect.stringContaining('127.0.0.1:9')]);
  const shown = await run(['settings', 'show']);
  expect(shown.stdout).toMatch(
    new RegExp(`^MEDIA_SERVICE_BASE_URL +http://127\\.0\\.0\\.1:9 +${file}$`, 'm'),
  );
  expect(shown.stdout).not.toContain('secret-key-value');
});

it('changing one variable keeps the others, including those added by hand', async () => {
  await run(['settings', 'save'], ENV);
  await writeFile(file, `${await readFile(file, 'utf8')}AWS_REGION=eu-west-1\n`);
  await run(['settings', 'save'], { MEDIA_SERVICE_EXTERNAL_ID: 'other' });
  const text = await readFile(file, 'utf8');
  for (const line of [
    "MEDIA_SERVICE_EXTERNAL_ID='other'",
    "MEDIA_SERVICE_API_KEY='api-key'",
    "AWS_REGION='eu-west-1'",
  ])
    expect(text).toContain(line);
});

it('an address alone in the environment says which saved settings it leaves out', async () => {
  await run(['settings', 'save'], ENV);
  const other = await run(['login'], { MEDIA_SERVICE_BASE_URL: 'http://127.0.0.1:10' });
  expect(other.exit).toBe(3);
  expect(other.stderr).toContain(
    `Warning: MEDIA_SERVICE_UPLOAD_URL, MEDIA_SERVICE_API_KEY, MEDIA_SERVICE_SECRET_KEY of ${file} are not used, ` +
      'because the environment sets MEDIA_SERVICE_BASE_URL. ',
  );
  const whole = await run(['login'], { ...ENV, MEDIA_SERVICE_BASE_URL: 'http://127.0.0.1:10' });
  expect([whole.exit, whole.stderr]).toEqual([6, expect.not.stringContaining('Warning')]);
});

it('with the null device as settings file, nothing saved is read', async () => {
  await run(['settings', 'save'], ENV);
  const { exit, stderr } = await run(['login'], { MEDIA_SERVICE_SETTINGS: '/dev/null' });
  expect([exit, stderr]).toEqual([3, expect.stringContaining('Not set: MEDIA_SERVICE_BASE_URL')]);
});

it('a file that others can write is refused, and so is saving nothing or something malformed', async () => {
  expect((await run(['settings', 'save'])).stderr).toContain('there is nothing to save');
  expect((await run(['settings', 'save'], { MEDIA_SERVICE_BASE_URL: 'nowhere' })).exit).toBe(3);
  await run(['settings', 'save'], ENV);
  await chmod(file, 0o666);
  const { exit, stderr } = await run(['login', '--json']);
  expect(exit).toBe(3);
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'Configuration', field: 'MEDIA_SERVICE_SETTINGS' },
  });
});
