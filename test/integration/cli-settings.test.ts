import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startSimulator } from '../../simulator/start-simulator';
import type { Simulator } from '../../simulator/start-simulator';
import { accountEnv, runCommand, type CommandEnd } from '../support/command';
import { useTempDir } from '../support/use-temp-dir';

const home = useTempDir('cli-settings', 'test');
let file: string;
beforeEach(() => void (file = join(home.path, '.config', 'media-service', 'settings.env')));

let simulator: Simulator;
let ENV: Record<string, string>;
beforeAll(async () => {
  simulator = await startSimulator({ seed: {} });
  const { baseUrl, uploadUrl, account } = simulator;
  ENV = accountEnv({ baseUrl, uploadUrl, ...account });
});
afterAll(() => simulator.close());

function run(words: readonly string[], env: Record<string, string> = {}): Promise<CommandEnd> {
  return runCommand(words, { cwd: home.path, env });
}

it('variables with which one terminal logs in are known in every other terminal', async () => {
  expect((await run(['login'])).stderr).toContain('Not set: MEDIA_SERVICE_BASE_URL');
  const saved = await run(['login'], ENV);
  const names = Object.keys(ENV).sort();
  expect(saved).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining(`\nSaved to ${file}: `),
    stderr: '',
  });
  expect(saved.stdout.split(': ')[1]?.trim().slice(0, -1).split(', ').sort()).toEqual(names);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { baseUrl, account } = simulator;
  const { externalId } = account;
  expect(await run(['login'])).toEqual({
    exit: 0,
    stdout: `Logged in at ${baseUrl} as ${externalId}.\n`,
    stderr: '',
  });
  const asJson = await run(['login', '--json']);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ loggedIn: true, baseUrl, externalId });
});

it('nothing is saved if the service refuses the login, and the error shows neither key', async () => {
  const refused = await run(['login', '--json'], { ...ENV, MEDIA_SERVICE_SECRET_KEY: 'wrong-secret' });
  expect([refused.exit, refused.stdout]).toEqual([3, '']);
  expect(JSON.parse(refused.stderr)).toMatchObject({
    error: { code: 'LoginRefused', status: 401, exitCode: 3, hint: expect.any(String) },
  });
  for (const secret of ['wrong-secret', simulator.account.secretKey])
    expect(refused.stderr).not.toContain(secret);
  await expect(stat(file)).rejects.toThrow('ENOENT');
});

it('changing one variable keeps the others, including those added by hand', async () => {
  await run(['login'], ENV);
  await writeFile(file, `${await readFile(file, 'utf8')}AWS_REGION=eu-west-1\n`);
  expect((await run(['login'], { MEDIA_SERVICE_HOST: 'other' })).exit).toBe(0);
  const text = await readFile(file, 'utf8');
  for (const line of [
    "MEDIA_SERVICE_HOST='other'",
    `MEDIA_SERVICE_API_KEY='${simulator.account.apiKey}'`,
    "AWS_REGION='eu-west-1'",
  ])
    expect(text).toContain(line);
});

it('a saved key never goes to another address, and the command says what it leaves out', async () => {
  await run(['login'], ENV);
  const before = await readFile(file, 'utf8');
  const other = await run(['login'], { MEDIA_SERVICE_BASE_URL: 'http://127.0.0.1:10' });
  expect(other.exit).toBe(3);
  expect(other.stderr).toContain(
    `Warning: MEDIA_SERVICE_UPLOAD_URL, MEDIA_SERVICE_API_KEY, MEDIA_SERVICE_SECRET_KEY of ${file} are not used, ` +
      'because the environment sets MEDIA_SERVICE_BASE_URL. ',
  );
  expect(await readFile(file, 'utf8')).toBe(before);
});
