import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createNamedSecrets } from '../../files/named-secrets';
import { readAccounts } from '../../settings/accounts';
import { VARIABLES } from '../../settings/variables';
import { run } from '../support/pack';
import { EXIT_CODES } from '../../cli/exit-codes';
import { DEPLOY, changedCopy } from './deploy-files';

async function contentOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => name !== '.gitignore');
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
}

test("make-secrets creates the files that the Compose file names, in the worker's format, and changes no existing file", async () => {
  const compose = join(await changedCopy(), 'compose');
  const secrets = join(compose, 'secrets');
  await writeFile(join(secrets, 'grafana-password'), 'mine');
  await run(join(compose, 'make-secrets'), [], compose);
  const made = await contentOf(secrets);

  const text = await readFile(join(compose, 'compose.yaml'), 'utf8');
  const named = [...text.matchAll(/file: \.\/secrets\/([\w.-]+)/g)].map(([, name = '']) => name);
  expect(named).toEqual(
    expect.arrayContaining(['accounts.json', 'codec-key', 'named-secrets.json', 'postgres-password']),
  );
  expect(named.filter((name) => (made[name] ?? '') === '')).toEqual([]);
  expect(made['grafana-password']).toBe('mine');
  expect(made['postgres-password']).toMatch(/^[0-9a-f]{48}$/);
  expect(() => VARIABLES.codecKey.parse(made['codec-key'] ?? '')).not.toThrow();
  expect(await readAccounts(join(secrets, 'accounts.json'))).toHaveLength(1);
  const file = join(secrets, 'named-secrets.json');
  await expect(createNamedSecrets(file).read('smtp')).rejects.toThrow('there is no secret named "smtp"');
  expect((await stat(secrets)).mode & 0o077).toBe(0);

  await run(join(compose, 'make-secrets'), [], compose);
  expect(await contentOf(secrets)).toEqual(made);
});

test('the Secret of the Kubernetes example is a folder of accounts that the worker can read', async () => {
  expect(await readAccounts(join(DEPLOY, 'kubernetes', 'example', 'secrets'))).toHaveLength(1);
});

test.each([
  ['compose/compose.yaml', /MEDIA_SERVICE_SECRETS: (\/run\/secrets)\/named-secrets/],
  ['kubernetes/base/settings.env', /MEDIA_SERVICE_SECRETS=(\/etc\/media-service\/secrets)$/m],
  ['systemd/media-service-worker.service', /MEDIA_SERVICE_SECRETS=(%d)\/secrets\.json$/m],
])('a worker of deploy/%s has the named secrets of sources and scheduled reports', async (file, setting) => {
  expect(await readFile(join(DEPLOY, file), 'utf8')).toMatch(setting);
});

test('a unit with a wrong flag or setting is not started again for ever', async () => {
  const unit = await readFile(join(DEPLOY, 'systemd/media-service-worker.service'), 'utf8');
  const [, codes = ''] = /^RestartPreventExitStatus=(.+)$/m.exec(unit) ?? [];
  const { USAGE, CONFIGURATION } = EXIT_CODES;
  expect(codes.split(' ').map(Number)).toEqual([USAGE.code, CONFIGURATION.code]);
});
