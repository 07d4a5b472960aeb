import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readAccounts } from '../../../settings/accounts';
import { tempFolder } from '../../support/after-test';
import { ACCOUNT as EXAMPLE } from '../cli/example-account';

const ACCOUNT = { ...EXAMPLE, apiKey: 'canary-key', secretKey: 'canary-secret' };
const { apiKey: _key, ...WITHOUT_KEY } = ACCOUNT;

let folder: string;
beforeEach(async () => {
  folder = await tempFolder('accounts');
});

async function write(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

describe('a file of accounts', () => {
  test.each([
    ['one account', ACCOUNT],
    ['an array', [ACCOUNT]],
  ])('is read as %s', async (_name, content) => {
    expect(await readAccounts(await write('a.json', content))).toEqual([
      { account: ACCOUNT, options: {}, limits: {} },
    ]);
  });

  test('holds options and limits, and reads secrets from files beside it, without their last line break', async () => {
    await write('key.txt', 'canary-key\n');
    const options = { maxParts: 60, ingestTag: false, allowPlainHttp: true };
    const limits = { callsPerSecond: 5, partsPerSecond: 0.5, storagePartsPerSecond: { 's3.example': 2 } };
    const path = await write('a.json', { ...WITHOUT_KEY, apiKeyFile: 'key.txt', options, limits });
    expect(await readAccounts(path)).toEqual([{ account: ACCOUNT, options, limits }]);
  });

  test.each([
    ['in it', { previousSecretKeys: ['canary-old', 'canary-older'] }],
    ['in a file beside it, one a line', { previousSecretKeysFile: 'previous.txt' }],
  ])('holds the earlier secret keys of the account, %s', async (_where, previous) => {
    await write('previous.txt', 'canary-old\ncanary-older\n');
    const [entry] = await readAccounts(await write('a.json', { ...ACCOUNT, ...previous }));
    expect(entry?.previousSecretKeys).toEqual(['canary-old', 'canary-older']);
  });

  test.each<[string, unknown, string]>([
    [
      'an earlier key as a text',
      { ...ACCOUNT, previousSecretKeys: 'canary' },
      'previousSecretKeys is not an array of texts',
    ],
    ['no JSON', 'canary {', 'a.json: is not JSON'],
    ['nothing', ' ', 'a.json: is empty'],
    ['no account', [], 'holds no account'],
    ['a text instead of an account', [ACCOUNT, 'canary'], 'account 2: the account is not an object'],
    ['no key', WITHOUT_KEY, 'a.json: apiKey is missing'],
    ['a key twice', { ...ACCOUNT, apiKeyFile: 'x' }, 'apiKey and apiKeyFile are both given'],
    [
      'a missing file',
      { ...WITHOUT_KEY, apiKeyFile: 'x' },
      "apiKeyFile names a file that can't be read (ENOENT)",
    ],
    ['an unknown field', { ...ACCOUNT, canaryField: 1 }, 'canaryField is unknown'],
    ['an unknown option', { ...ACCOUNT, options: { parts: 1 } }, 'options.parts is unknown'],
    ['a wrong option', { ...ACCOUNT, options: { maxParts: 'canary' } }, 'options.maxParts must be a whole'],
    ['a wrong limit', { ...ACCOUNT, limits: { callsPerSecond: 0 } }, 'limits.callsPerSecond is not a number'],
    [
      'a wrong limit of a storage host',
      { ...ACCOUNT, limits: { storagePartsPerSecond: { 's3.example': '2' } } },
      'limits.s3.example is not a number',
    ],
    ['plain http', { ...ACCOUNT, baseUrl: 'http://a.example' }, 'baseUrl is plain http'],
    ['one account twice', [ACCOUNT, ACCOUNT], 'account 2: is the same account as'],
  ])('with %s is refused, and the error names file and field', async (_name, content, message) => {
    const path = await write('a.json', content);
    const error: unknown = await readAccounts(path).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'Configuration', message: expect.stringContaining(message) });
    expect(JSON.stringify(error) + String(error)).not.toMatch(/canary(?!Field)/);
  });

  test('is refused by name if it does not exist', async () => {
    await expect(readAccounts(join(folder, 'none.json'))).rejects.toThrow(/none\.json: does not exist/);
  });
});

describe('a folder of accounts', () => {
  test('has one file per account, and may use links as Kubernetes makes them', async () => {
    await mkdir(join(folder, '..2026_11_21'));
    await write('..2026_11_21/acme.json', ACCOUNT);
    await write('..2026_11_21/other.json', { ...ACCOUNT, externalId: 'other' });
    await symlink('..2026_11_21', join(folder, '..data'));
    await symlink('..data/acme.json', join(folder, 'acme.json'));
    await symlink('..data/other.json', join(folder, 'other.json'));
    await write('notes.txt', 'not an account');
    await write('.acme.json', 'half of a file that an editor keeps');
    const ids = (await readAccounts(folder)).map(({ account }) => account.externalId);
    expect(ids).toEqual(['acme', 'other']);
  });

  test('is refused with the name of a link to nowhere', async () => {
    await symlink('gone.json', join(folder, 'acme.json'));
    await expect(readAccounts(folder)).rejects.toThrow(/acme\.json: can't be read/);
  });
});
