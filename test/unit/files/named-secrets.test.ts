import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createNamedSecrets } from '../../../files/named-secrets';
import { isRetryable } from '../../../api/retry';
import { tempFolder } from '../../support/after-test';
import { failureOf } from '../api/upload/failure-of';

const HEADERS = { hosts: ['cdn.example'], headers: { authorization: 'Bearer canary' } };

let base: string;
beforeEach(async () => {
  base = await tempFolder('secrets');
});

describe('secrets in a JSON file', () => {
  test('are texts or objects by name, and the file is read again each time', async () => {
    const file = join(base, 'secrets.json');
    const secrets = createNamedSecrets(file);
    await writeFile(file, JSON.stringify({ smtp: 'smtp://one', cdn: HEADERS }));
    expect([await secrets.read('smtp'), await secrets.read('cdn')]).toEqual(['smtp://one', HEADERS]);
    await writeFile(file, JSON.stringify({ smtp: 'smtp://two' }));
    expect(await secrets.read('smtp')).toBe('smtp://two');
  });

  test.each([
    ['is not there', undefined, "can't be read (ENOENT)"],
    ['is not JSON', '{"cdn": canary', 'holds no JSON object of secrets by name'],
    ['holds a list', '["canary"]', 'holds no JSON object of secrets by name'],
    ['holds other names', '{"other": "canary"}', 'there is no secret named "cdn" in'],
    ['holds a number by this name', '{"cdn": 7}', 'is neither a text nor an object'],
  ])('that %s are refused without being shown', async (_what, content, says) => {
    const file = join(base, 'secrets.json');
    if (content !== undefined) await writeFile(file, content);
    const failure = await failureOf(createNamedSecrets(file).read('cdn'));
    expect([failure.code, failure.facts.field]).toEqual(['Configuration', 'secrets']);
    expect(failure.message).toContain(says);
    expect(JSON.stringify([failure.message, failure.facts, String(failure.cause)])).not.toContain('canary');
  });

  test.each(['constructor', '__proto__', 'toString'])('do not include %s', async (name) => {
    await writeFile(join(base, 'secrets.json'), '{}');
    const failure = await failureOf(createNamedSecrets(join(base, 'secrets.json')).read(name));
    expect(failure.code).toBe('Configuration');
  });
});

describe('secrets in a folder', () => {
  test('are texts without the last line break, or JSON objects, named after their files', async () => {
    await writeFile(join(base, 'smtp-url'), 'smtp://user:word@host\n');
    await writeFile(join(base, 'cdn.headers'), JSON.stringify(HEADERS));
    const secrets = createNamedSecrets(base);
    expect([await secrets.read('smtp-url'), await secrets.read('cdn.headers')]).toEqual([
      'smtp://user:word@host',
      HEADERS,
    ]);
  });

  test('are reported with the file to create if they are missing', async () => {
    const failure = await failureOf(createNamedSecrets(base).read('cdn'));
    expect(failure.message).toBe(`there is no secret named "cdn" in ${base}`);
    expect(failure.facts.hint).toContain(join(base, 'cdn'));
  });

  test("can't be read if they are folders", async () => {
    await mkdir(join(base, 'cdn'));
    expect((await failureOf(createNamedSecrets(base).read('cdn'))).message).toContain('EISDIR');
  });
});

test.each(['../secrets', 'a/b', '', '.hidden', 'a\0', 'x'.repeat(129)])(
  'the name %j is refused before anything is read',
  async (name) => {
    const { message } = await failureOf(createNamedSecrets(base).read(name));
    expect(message).toContain('is not a name of a secret');
  },
);

test('reading secrets is retried after a disk error, but not if this user may not read them', async () => {
  // The kernel returns EIO for its first byte.
  const failing = await failureOf(createNamedSecrets('/proc/self/mem').read('cdn'));
  expect(failing).toMatchObject({ code: 'Configuration', facts: { field: 'secrets' } });
  expect(isRetryable(failing)).toBe(true);
  expect(failing.message).toBe("the secrets in /proc/self/mem can't be read (EIO)");
  const missing = await failureOf(createNamedSecrets(join(base, 'none.json')).read('cdn'));
  expect(isRetryable(missing)).toBe(false);
});

test('a machine without secrets says which setting is missing', async () => {
  const failure = await failureOf(createNamedSecrets(undefined).read('cdn'));
  expect(failure.message).toBe('the secret named "cdn" is needed, but no secrets are set up on this machine');
  expect(failure.facts.hint).toContain('{secrets}');
});
