import { chmod, mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { delimiter, join } from 'node:path';
import fc from 'fast-check';
import {
  addedByFile,
  ownVariables,
  readSettingsFile,
  settingsFilePath,
  settingsFileText,
} from '../../../settings/settings-file';
import { tempFolder } from '../../support/after-test';

let temp: string;
let file: string;
beforeEach(async () => {
  temp = await tempFolder('settings-file');
  file = join(temp, 'settings.env');
});

test.each([
  ['the variable', { MEDIA_SERVICE_SETTINGS: '/etc/media.env', HOME: '/home/a' }, '/etc/media.env'],
  ['XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '/config', HOME: '/home/a' }, '/config/media-service/settings.env'],
  ['the home folder', { HOME: '/home/a' }, '/home/a/.config/media-service/settings.env'],
])('%s says where the file is', (_label, env, path) => {
  expect(settingsFilePath(env)).toBe(path);
});

test('a user without a home folder, as in some containers, has no settings file', () => {
  const homedir = jest.spyOn(os, 'homedir').mockImplementation(() => {
    throw new Error('uv_os_homedir returned ENOENT');
  });
  expect(settingsFilePath({})).toBeUndefined();
  homedir.mockRestore();
});

test('a missing file and the null device set nothing', () => {
  expect([file, os.devNull].map(readSettingsFile)).toEqual([{}, {}]);
});

test('only settings are read from a file', async () => {
  await writeFile(
    file,
    'NODE_OPTIONS=--inspect\nPATH=/tmp\nMEDIA_SERVICE_HOST=a # here\nAWS_REGION="eu-west-1"\n',
    { mode: 0o600 },
  );
  expect(readSettingsFile(file)).toEqual({ MEDIA_SERVICE_HOST: 'a', AWS_REGION: 'eu-west-1' });
});

test('a file that other users can write is refused', async () => {
  await writeFile(file, '');
  await chmod(file, 0o620);
  expect(() => readSettingsFile(file)).toThrow(`Other users can write the settings file ${file}.`);
});

test('a folder instead of the file is named', async () => {
  await mkdir(file, { mode: 0o700 });
  expect(() => readSettingsFile(file)).toThrow(`The settings file ${file} `);
});

test('saved values are read back, whatever they hold', async () => {
  const mark = fc.constantFrom("'", '"', '`');
  const value = fc
    .tuple(fc.string({ minLength: 1 }), mark)
    // A file can't hold NUL and, besides the quotes around a value, only two of the three kinds of quotes.
    .map(([text, left]) => text.replaceAll('\r', '').replaceAll('\0', '').replaceAll(left, ''))
    .filter((text) => text !== '');
  await fc.assert(
    fc.asyncProperty(value, async (text) => {
      const variables = { MEDIA_SERVICE_API_KEY: text, MEDIA_SERVICE_HOST: 'a' };
      await writeFile(file, settingsFileText(variables), { mode: 0o600 });
      expect(readSettingsFile(file)).toEqual(variables);
    }),
  );
});

test('a value that no file can hold is refused by name', () => {
  expect(() => settingsFileText({ MEDIA_SERVICE_API_KEY: `a'b"c\`d#` })).toThrow('MEDIA_SERVICE_API_KEY');
});

describe('the environment has priority', () => {
  const BASE = 'MEDIA_SERVICE_BASE_URL';
  const [KEY, ID] = ['MEDIA_SERVICE_API_KEY', 'MEDIA_SERVICE_EXTERNAL_ID'];
  const TEMPORAL = ['TEMPORAL_ADDRESS', 'TEMPORAL_API_KEY'];
  test.each([
    ['nothing is set', {}, [BASE, KEY, ID, ...TEMPORAL]],
    ['another sub-account is set', { MEDIA_SERVICE_EXTERNAL_ID: 'b' }, [BASE, KEY, ...TEMPORAL]],
    ['another address is set, which the saved key is not for', { [BASE]: 'https://b' }, [ID, ...TEMPORAL]],
    ['another Temporal is set', { TEMPORAL_ADDRESS: 'b:7233' }, [BASE, KEY, ID]],
    ['an empty variable is set, as if unset', { TEMPORAL_ADDRESS: '' }, [BASE, KEY, ID, ...TEMPORAL]],
  ])('if %s', (_label, env, names) => {
    const saved = Object.fromEntries([BASE, KEY, ID, ...TEMPORAL].map((name) => [name, 'saved']));
    expect(Object.keys(addedByFile(env, saved))).toEqual(names);
  });

  test('over a saved secret file if it sets the secret', () => {
    const saved = { MEDIA_SERVICE_SECRET_KEY_FILE: '/k' };
    expect(addedByFile({ MEDIA_SERVICE_SECRET_KEY: 's' }, saved)).toEqual({});
  });
});

describe('what a terminal sets itself', () => {
  test('has absolute paths, so that they mean the same files in another folder', () => {
    const env = {
      MEDIA_SERVICE_SECRET_KEY_FILE: 'keys/secret',
      MEDIA_SERVICE_FILE_ROOTS: ['media', '/srv'].join(delimiter),
      MEDIA_SERVICE_ACCOUNTS: 'accounts',
      TEMPORAL_TLS_CLIENT_CERT_PATH: 'client.pem',
      MEDIA_SERVICE_EXTERNAL_ID: 'keys/secret',
    };
    expect(ownVariables(env, '/home/ann')).toEqual({
      MEDIA_SERVICE_SECRET_KEY_FILE: '/home/ann/keys/secret',
      MEDIA_SERVICE_FILE_ROOTS: ['/home/ann/media', '/srv'].join(delimiter),
      MEDIA_SERVICE_ACCOUNTS: '/home/ann/accounts',
      TEMPORAL_TLS_CLIENT_CERT_PATH: '/home/ann/client.pem',
      MEDIA_SERVICE_EXTERNAL_ID: 'keys/secret',
    });
  });

  test('has nothing that the settings file added', () => {
    const env = { MEDIA_SERVICE_HOST: 'a', TEMPORAL_ADDRESS: 'a:7233' };
    expect(ownVariables(env, '/', new Set(['TEMPORAL_ADDRESS']))).toEqual({ MEDIA_SERVICE_HOST: 'a' });
  });
});
