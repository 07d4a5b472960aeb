import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { delimiter, join } from 'node:path';
import { readSettings, requireAccount } from '../../../settings/settings';
import { useTempDir } from '../../support/use-temp-dir';
import { thrownBy } from '../api/upload/failure-of';
import { ACCOUNT, ACCOUNT_ENV as WHOLE } from '../cli/example-account';

const temp = useTempDir('settings');
const KEY = Buffer.alloc(32, 7).toString('base64');

describe('the account in the environment', () => {
  test('is complete when its five variables are set', () => {
    expect(requireAccount(readSettings(WHOLE))).toEqual(ACCOUNT);
  });

  test('reports every missing variable in one message, empty ones included', () => {
    const { MEDIA_SERVICE_BASE_URL } = WHOLE;
    const settings = readSettings({ MEDIA_SERVICE_BASE_URL, MEDIA_SERVICE_API_KEY: ' ' });
    const error = thrownBy(() => requireAccount(settings));
    expect(error.message).toBe(
      'Not set: MEDIA_SERVICE_UPLOAD_URL, MEDIA_SERVICE_API_KEY, MEDIA_SERVICE_SECRET_KEY, MEDIA_SERVICE_EXTERNAL_ID.',
    );
    expect(error.facts.field).toBe('MEDIA_SERVICE_UPLOAD_URL');
    expect(error.facts.hint).toMatch(/^Set the environment variables/);
  });

  test('says that the accounts file is not for commands if it is set without an account', () => {
    const settings = readSettings({ MEDIA_SERVICE_ACCOUNTS: '/etc/accounts.json' });
    expect(thrownBy(() => requireAccount(settings)).facts.hint).toMatch(/^Only workers read \{accounts\}/);
  });
});

describe('secrets in files', () => {
  beforeAll(() => writeFileSync(join(temp.path, 'secret'), 'from-a-file\n'));

  test('are read without their final line break, for the account and for Temporal', () => {
    const file = join(temp.path, 'secret');
    const { MEDIA_SERVICE_SECRET_KEY: _unset, ...others } = WHOLE;
    const env = { ...others, MEDIA_SERVICE_SECRET_KEY_FILE: file, TEMPORAL_API_KEY_FILE: file };
    expect(readSettings(env)).toMatchObject({
      account: { secretKey: 'from-a-file' },
      missing: [],
      temporal: { apiKey: 'from-a-file', tls: true },
    });
  });

  test('are read as a list if several are allowed, each once, separated by lines or blanks', () => {
    writeFileSync(join(temp.path, 'keys'), 'first,key\nsecond\n\nsecond third\n');
    const env = { MEDIA_SERVICE_PREVIOUS_SECRET_KEYS_FILE: join(temp.path, 'keys') };
    expect(readSettings(env).previousSecretKeys).toEqual(['first,key', 'second', 'third']);
  });

  test('are refused together with the variable itself', () => {
    expect(() => readSettings({ ...WHOLE, MEDIA_SERVICE_API_KEY_FILE: join(temp.path, 'secret') })).toThrow(
      'MEDIA_SERVICE_API_KEY and MEDIA_SERVICE_API_KEY_FILE are both set; keep one of them.',
    );
  });

  test.each<[label: string, file: () => string, why: string]>([
    ['is not there', () => join(temp.path, 'none'), 'names a file that does not exist (it is "'],
    ['is a folder', () => temp.path, 'names a file that is a folder (it is "'],
    [
      'lies in a file',
      () => join(temp.path, 'secret', 'key'),
      'names a file that does not exist: a part of its path is',
    ],
    [
      'begins with a tilde',
      () => '~/key',
      'begins with "~", which only a shell expands: write the path in full',
    ],
  ])('are refused with the reason when the file %s', (_label, file, why) => {
    expect(() => readSettings({ MEDIA_SERVICE_API_KEY_FILE: file() })).toThrow(
      `MEDIA_SERVICE_API_KEY_FILE ${why}`,
    );
  });
});

describe('a malformed value', () => {
  const NO_PARTS = 'is wrong: options.maxParts must be a whole number from 1 to 120';
  test.each([
    ['MEDIA_SERVICE_BASE_URL', 'api.media.example', 'is not an http or https address'],
    ['MEDIA_SERVICE_UPLOAD_URL', 'ftp://media.example', 'is not an http or https address'],
    ['MEDIA_SERVICE_OPTIONS', '{', 'is not JSON'],
    ['MEDIA_SERVICE_OPTIONS', '{"maxPart":1}', 'is wrong: options.maxPart is unknown; known are ingestTag, '],
    ['MEDIA_SERVICE_OPTIONS', '{"maxParts":12.5}', NO_PARTS],
    ['MEDIA_SERVICE_OPTIONS', '{"maxParts":121}', NO_PARTS],
    [
      'MEDIA_SERVICE_OPTIONS',
      '{"allowPlainHttp":2}',
      'is wrong: options.allowPlainHttp must be true or false',
    ],
    ['MEDIA_SERVICE_ADDITIONAL_URLS', '/upload/{uploadId}', 'must begin with one of GET, POST, PUT, PATCH'],
    [
      'MEDIA_SERVICE_ADDITIONAL_URLS',
      'GET /upload/{uploadId}',
      'names neither {partNumber} nor {partNumbers}',
    ],
    ['MEDIA_SERVICE_OPTIONS', '{"completeBody":"{}"}', 'is wrong: options.completeBody lacks {parts}'],
    ['MEDIA_SERVICE_SOURCE_HOSTS', 'nas,http://nas2', 'holds "http://nas2", which is not a host name'],
    ['MEDIA_SERVICE_TUNING', '{', 'is not JSON'],
    ['MEDIA_SERVICE_TUNING', '{"heartbeat":4}', 'holds more than whole numbers named heart'],
    ['TEMPORAL_ADDRESS', 'temporal.example', 'is not host:port'],
    ['TEMPORAL_ADDRESS', 'https://t.example:7233', 'is not host:port'],
    ['TEMPORAL_ADDRESS', 'localhost:99999', 'is not host:port'],
    ['TEMPORAL_TLS', 'maybe', 'must be true or false'],
  ])('in %s=%s is named with an example', (name, value, expected) => {
    const error = thrownBy(() => readSettings({ ...WHOLE, [name]: value }));
    expect(error.message).toContain(`${name} ${expected}`);
    expect(error.message).toContain('an example: ');
    expect([error.code, error.facts.field]).toEqual(['Configuration', name]);
  });

  test.each([
    ['that is not a list', 'zz'],
    ['whose key is too short', '2026a:c2hvcnQ='],
    ['with an id that occurs twice', `a:${KEY},a:${KEY}`],
  ])('of the codec %s is named without its text', (_label, value) => {
    const error = thrownBy(() => readSettings({ MEDIA_SERVICE_CODEC_KEY: value }));
    expect(error.message).toContain('MEDIA_SERVICE_CODEC_KEY is not a list of id:key');
    expect(error.message).not.toContain(value);
    expect(error.facts.field).toBe('MEDIA_SERVICE_CODEC_KEY');
  });

  test('is reported together with all others in one message', () => {
    const error = thrownBy(() =>
      readSettings({ MEDIA_SERVICE_BASE_URL: 'x', MEDIA_SERVICE_OPTIONS: '[]', TEMPORAL_TLS: 'y' }),
    );
    expect(error.message.split('\n')).toEqual([
      '3 settings are wrong:',
      expect.stringContaining('MEDIA_SERVICE_BASE_URL is not an http'),
      expect.stringContaining('MEDIA_SERVICE_OPTIONS is wrong: options is not an object'),
      expect.stringContaining('TEMPORAL_TLS must be true or false'),
    ]);
  });
});

test('without variables, settings leave their defaults to the programs that use them', () => {
  const missing = ['BASE_URL', 'UPLOAD_URL', 'API_KEY', 'SECRET_KEY', 'EXTERNAL_ID'];
  expect(readSettings({})).toEqual({
    ...{ account: {}, options: {}, sourceHosts: [], s3: {} },
    missing: missing.map((name) => `MEDIA_SERVICE_${name}`),
    ...{ queuePrefix: 'media-service', host: hostname() },
    temporal: { address: 'localhost:7233', namespace: 'default' },
  });
});

test('the options of the service have their types', () => {
  const options = {
    ...{ ingestTag: false, maxParts: 60, allowPlainHttp: true },
    completeBody: '{"p":[{"N":{partNumber}}]}',
  };
  const additionalUrls = 'GET /upload/{uploadId}/url/{partNumber}';
  const env = {
    MEDIA_SERVICE_OPTIONS: JSON.stringify(options),
    MEDIA_SERVICE_ADDITIONAL_URLS: additionalUrls,
  };
  expect(readSettings(env).options).toEqual({ ...options, additionalUrls });
});

test('roots are separated as in PATH, and hosts by commas or blanks', () => {
  const env = {
    MEDIA_SERVICE_FILE_ROOTS: ['/srv/a', '', ' /srv/b '].join(delimiter),
    MEDIA_SERVICE_SOURCE_HOSTS: 'NAS.local, 10.0.0.7',
  };
  expect(readSettings(env)).toMatchObject({
    fileRoots: ['/srv/a', '/srv/b'],
    sourceHosts: ['nas.local', '10.0.0.7'],
  });
});

describe('Temporal settings', () => {
  beforeAll(() =>
    writeFileSync(
      join(temp.path, 'temporal.toml'),
      '[profile.staging]\naddress = "staging.example:7233"\nnamespace = "films"\n[profile.staging.tls]\nserver_name = "temporal.example"\n',
    ),
  );

  test('come from a profile, and the environment overrides it', () => {
    const { temporal } = readSettings({
      TEMPORAL_CONFIG_FILE: join(temp.path, 'temporal.toml'),
      TEMPORAL_PROFILE: 'staging',
      TEMPORAL_NAMESPACE: 'series',
    });
    expect(temporal).toEqual({
      address: 'staging.example:7233',
      namespace: 'series',
      tls: { serverNameOverride: 'temporal.example' },
    });
  });

  test('name a profile that does not exist', () => {
    const env = { TEMPORAL_CONFIG_FILE: join(temp.path, 'temporal.toml'), TEMPORAL_PROFILE: 'nowhere' };
    expect(() => readSettings(env)).toThrow("Profile 'nowhere' not found");
  });

  test('turn TLS off if the environment says so', () => {
    expect(readSettings({ TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'off' }).temporal.tls).toBe(false);
  });
});
