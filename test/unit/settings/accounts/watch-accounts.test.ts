import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readAccounts } from '../../../../settings/accounts/read-accounts';
import { watchAccounts, type AccountsWatch } from '../../../../settings/accounts/watch-accounts';
import { createTempDir, type TempDir } from '../../../support/temp-dir';

const account = (externalId: string, secretKey = 's'): object => ({
  baseUrl: 'https://api.media.example',
  uploadUrl: 'https://upload.media.example',
  externalId,
  apiKey: 'k',
  secretKey,
});

let folder: TempDir;
let watch: AccountsWatch | undefined;
beforeEach(async () => {
  folder = await createTempDir('watch');
});
afterEach(async () => {
  watch?.close();
  await folder.remove();
});

/** Watches `path` and returns its news one by one. It never polls by itself. */
async function watched(path: string): Promise<() => Promise<string>> {
  const news: string[] = [];
  let wake: (() => void) | undefined;
  const note = (text: string): void => {
    news.push(text);
    wake?.();
  };
  const listener = {
    onAccounts: (accounts: readonly { readonly account: { readonly externalId: string } }[]) =>
      note(accounts.map((one) => one.account.externalId).join()),
    onProblem: (error: unknown) => note(`problem ${String(error)}`),
  };
  const now = await readAccounts(path);
  watch = watchAccounts(path, { now, pollMs: 3_600_000, settleMs: 10 }, listener);
  return async () => {
    while (news.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return news.shift() ?? '';
  };
}

/** Replaces the file as a whole, so that nobody reads a partial file. */
async function replace(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content);
  await rename(`${path}.new`, path);
}

describe('watchAccounts', () => {
  test('reports a file that is replaced, and a changed secret', async () => {
    const path = join(folder.path, 'accounts.json');
    await writeFile(path, JSON.stringify([account('one')]));
    const next = await watched(path);
    await replace(path, JSON.stringify([account('one'), account('two')]));
    expect(await next()).toBe('one,two');
    await replace(path, JSON.stringify([account('one', 'rotated'), account('two')]));
    expect(await next()).toBe('one,two');
  });

  test('reports links that are replaced at once, as Kubernetes does it', async () => {
    const version = async (name: string, ids: readonly string[]): Promise<void> => {
      await mkdir(join(folder.path, name));
      for (const file of ['a', 'b']) {
        const id = ids[file === 'a' ? 0 : 1] ?? '';
        await writeFile(join(folder.path, name, `${file}.json`), JSON.stringify(account(id)));
      }
      await symlink(name, join(folder.path, '..data_tmp'));
      await rename(join(folder.path, '..data_tmp'), join(folder.path, '..data'));
    };
    await version('..v1', ['one', 'two']);
    for (const file of ['a', 'b']) await symlink(`..data/${file}.json`, join(folder.path, `${file}.json`));
    const next = await watched(folder.path);
    await version('..v2', ['one', 'three']);
    expect(await next()).toBe('one,three');
  });

  test('reports an unusable file once, and the fixed one only if it differs from before', async () => {
    const path = join(folder.path, 'accounts.json');
    const good = JSON.stringify([account('one')]);
    await writeFile(path, good);
    const next = await watched(path);
    await replace(path, '{');
    expect(await next()).toMatch(/problem .*accounts\.json: is not JSON/s);
    await watch?.look();
    await replace(path, good);
    await watch?.look();
    await replace(path, JSON.stringify([account('two')]));
    expect(await next()).toBe('two');
  });

  test('reports a change once, the change back, and a problem that came back', async () => {
    const path = join(folder.path, 'accounts.json');
    const [one, two] = ['one', 'two'].map((id) => JSON.stringify([account(id)]));
    await writeFile(path, one ?? '');
    const next = await watched(path);
    for (const [content, expected] of [
      [two, /^two$/],
      [one, /^one$/],
      ['{', /is not JSON/],
      [two, /^two$/],
      ['{', /is not JSON/],
    ] as const) {
      await replace(path, content ?? '');
      expect(await next()).toMatch(expected);
      await watch?.look();
    }
  });

  test('finds by polling what file systems do not report: a secret in another folder', async () => {
    const secrets = await createTempDir('secrets');
    const secretKeyFile = join(secrets.path, 'key');
    await writeFile(secretKeyFile, 'first');
    const path = join(folder.path, 'accounts.json');
    const { secretKey: _none, ...rest } = { secretKey: '', ...account('one') };
    await writeFile(path, JSON.stringify({ ...rest, secretKeyFile }));
    const next = await watched(path);
    await writeFile(secretKeyFile, 'second');
    await watch?.look();
    expect(await next()).toBe('one');
    await secrets.remove();
  });
});
