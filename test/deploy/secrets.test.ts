import { expect, test } from '@jest/globals';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readAccounts } from '../../settings/accounts';
import { VARIABLES } from '../../settings/variables';
import { run } from '../support/pack';
import { withChanged } from './deploy-files';

async function contentOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => name !== '.gitignore');
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
}

test("make-secrets creates the files that the Compose file names, in the worker's format, and changes no existing file", async () => {
  await withChanged([], async (deploy) => {
    const compose = join(deploy, 'compose');
    const secrets = join(compose, 'secrets');
    await writeFile(join(secrets, 'grafana-password'), 'mine');
    await run(join(compose, 'make-secrets'), [], deploy);
    const made = await contentOf(secrets);

    const text = await readFile(join(compose, 'compose.yaml'), 'utf8');
    const named = [...text.matchAll(/file: \.\/secrets\/([\w.-]+)/g)].map(([, name = '']) => name);
    expect(named).toEqual(expect.arrayContaining(['accounts.json', 'codec-key', 'postgres-password']));
    expect(named.filter((name) => (made[name] ?? '') === '')).toEqual([]);
    expect(made['grafana-password']).toBe('mine');
    expect(made['postgres-password']).toMatch(/^[0-9a-f]{48}$/);
    expect(() => VARIABLES.codecKey.parse(made['codec-key'] ?? '')).not.toThrow();
    expect(await readAccounts(join(secrets, 'accounts.json'))).toHaveLength(1);
    expect((await stat(secrets)).mode & 0o077).toBe(0);

    await run(join(compose, 'make-secrets'), [], deploy);
    expect(await contentOf(secrets)).toEqual(made);
  });
});

test('the Secret of the Kubernetes example is a folder of accounts that the worker can read', async () => {
  await withChanged([], async (deploy) => {
    expect(await readAccounts(join(deploy, 'kubernetes', 'example', 'secrets'))).toHaveLength(1);
  });
});
