import { servedAccounts } from '../../../../cli/commands/gateway';
import { workerConfigOf } from '../../../../cli/commands/worker';
import { readSettings } from '../../../../settings/settings';
import { ACCOUNT, ACCOUNT_ENV } from '../example-account';

const ENV = { ...ACCOUNT_ENV, MEDIA_SERVICE_HOST: 'ingest-1' };

/** The configuration of a worker that starts in /srv/here. */
async function configOf(
  env: Readonly<Record<string, string>>,
  flags: Parameters<typeof workerConfigOf>[1] = {},
  inContainer = false,
): Promise<ReturnType<typeof workerConfigOf>> {
  const settings = readSettings(env);
  const accounts = await servedAccounts(settings);
  return workerConfigOf(settings, flags, { cwd: '/srv/here', accounts, inContainer });
}

describe('the worker configuration', () => {
  test('allows files of the folder that the worker started in while no roots are set', async () => {
    expect(await configOf(ENV, {}, true)).toEqual({
      temporal: { address: 'localhost:7233', namespace: 'default' },
      accounts: [{ account: ACCOUNT, options: {} }],
      queuePrefix: 'media-service',
      host: 'ingest-1',
      roots: ['/srv/here'],
      outputRoots: ['/srv/here'],
      s3: {},
      sourceHosts: [],
    });
  });

  test('contains everything from settings and flags', async () => {
    const env = {
      ...ENV,
      MEDIA_SERVICE_FILE_ROOTS: '/srv/media',
      MEDIA_SERVICE_SPOOL_DIR: '/var/spool/media',
      MEDIA_SERVICE_QUEUE_PREFIX: 'films',
      MEDIA_SERVICE_OPTIONS: '{"maxParts":60}',
      MEDIA_SERVICE_BUILD_ID: '7',
      MEDIA_SERVICE_OUTPUT_ROOTS: '/srv/batches',
      MEDIA_SERVICE_SECRETS: '/run/secrets',
      MEDIA_SERVICE_S3_ENDPOINT: 'https://minio.example:9000',
    };
    const flags = {
      concurrency: 16,
      bandwidth: 50_000_000,
      health: { port: 8080 },
      metrics: { host: '10.0.0.7', port: 9464 },
      grace: 5_000,
      logLevel: 'warn' as const,
    };
    expect(await configOf(env, flags)).toMatchObject({
      accounts: [{ account: ACCOUNT, options: { maxParts: 60 } }],
      roots: ['/srv/media'],
      spoolDir: '/var/spool/media',
      outputRoots: ['/srv/batches'],
      secrets: '/run/secrets',
      s3: { endpoint: 'https://minio.example:9000' },
      queuePrefix: 'films',
      slots: { parts: 16 },
      health: { host: '127.0.0.1', port: 8080 },
      metrics: { host: '10.0.0.7', port: 9464 },
      shutdownGraceMs: 5_000,
      bandwidth: 50_000_000,
      version: { buildId: '7', deploymentName: 'films' },
      logLevel: 'warn',
    });
  });

  test.each([
    ['on a machine for this machine only', { port: 8080 }, false, '127.0.0.1'],
    ['in a container for everybody whom its network lets in', { port: 8080 }, true, '*'],
    ['on a machine as the flag says', { port: 8080, host: '10.0.0.7' }, false, '10.0.0.7'],
    ['in a container as the flag says', { port: 8080, host: '::1' }, true, '::1'],
  ])('opens both ports %s', async (_label, address, inContainer, host) => {
    const at = { port: 8080, host };
    const flags = { health: address, metrics: address };
    expect(await configOf(ENV, flags, inContainer)).toMatchObject({ health: at, metrics: at });
  });

  test('contains the secret keys that open seals, including the earlier ones', async () => {
    const settings = readSettings({ ...ENV, MEDIA_SERVICE_PREVIOUS_SECRET_KEYS: 'secret-0 secret-00' });
    const accounts = await servedAccounts(settings);
    expect(accounts).toEqual([
      { account: ACCOUNT, options: {}, previousSecretKeys: ['secret-0', 'secret-00'] },
    ]);
  });

  test.each([
    ['earlier secret keys', { MEDIA_SERVICE_PREVIOUS_SECRET_KEYS: 'secret-0' }, '(previousSecretKeys)'],
    ['an account', ENV, 'the variables of an account are both set'],
  ])('refuses %s in the environment together with a file of accounts', async (_what, env, words) => {
    const both = { ...env, MEDIA_SERVICE_ACCOUNTS: '/etc/media-service/accounts' };
    await expect(servedAccounts(readSettings(both))).rejects.toMatchObject({
      code: 'Configuration',
      message: expect.stringContaining(words),
    });
  });
});
