import { describe, expect, test } from '@jest/globals';
import { workerConfigOf } from '../../../../cli/commands/worker';
import { servedAccounts } from '../../../../cli/worker/served-accounts';
import { readSettings } from '../../../../settings/settings';

const ENV = {
  MEDIA_SERVICE_BASE_URL: 'https://api.media.example',
  MEDIA_SERVICE_UPLOAD_URL: 'https://upload.media.example',
  MEDIA_SERVICE_API_KEY: 'key-1',
  MEDIA_SERVICE_SECRET_KEY: 'secret-1',
  MEDIA_SERVICE_EXTERNAL_ID: 'acme',
  MEDIA_SERVICE_HOST: 'ingest-1',
};
const ACCOUNT = {
  baseUrl: 'https://api.media.example',
  uploadUrl: 'https://upload.media.example',
  apiKey: 'key-1',
  secretKey: 'secret-1',
  externalId: 'acme',
};

describe('the worker configuration', () => {
  test('allows files of the folder that the worker started in while no roots are set', async () => {
    const settings = readSettings(ENV);
    const { accounts } = await servedAccounts(settings);
    expect(workerConfigOf(settings, {}, { cwd: '/srv/here', accounts, inContainer: false })).toEqual({
      temporal: { address: 'localhost:7233', namespace: 'default' },
      accounts: [{ account: ACCOUNT, options: {} }],
      host: 'ingest-1',
      roots: ['/srv/here'],
      outputRoots: ['/srv/here'],
      s3: {},
      sourceHosts: [],
    });
  });

  test('contains everything from settings and flags', async () => {
    const settings = readSettings({
      ...ENV,
      MEDIA_SERVICE_FILE_ROOTS: '/srv/media',
      MEDIA_SERVICE_SPOOL_DIR: '/var/spool/media',
      MEDIA_SERVICE_QUEUE_PREFIX: 'films',
      MEDIA_SERVICE_MAX_PARTS: '60',
      MEDIA_SERVICE_BANDWIDTH: '50MB/s',
      MEDIA_SERVICE_STORAGE_LIMITS: 'storage.example=20, *=0.5',
      MEDIA_SERVICE_BUILD_ID: '7',
      MEDIA_SERVICE_DEPLOYMENT: 'films',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
      MEDIA_SERVICE_OUTPUT_ROOTS: '/srv/batches',
      MEDIA_SERVICE_SECRETS: '/run/secrets',
      MEDIA_SERVICE_S3_ENDPOINT: 'https://minio.example:9000',
    });
    const flags = {
      concurrency: 16,
      healthPort: 8080,
      grace: 5_000,
      logLevel: 'warn' as const,
      buildId: '8',
      tuner: 'resource' as const,
      targetMemory: 70,
    };
    const { accounts } = await servedAccounts(settings);
    expect(workerConfigOf(settings, flags, { cwd: '/srv/here', accounts, inContainer: false })).toMatchObject(
      {
        accounts: [{ account: ACCOUNT, options: { maxParts: 60 } }],
        roots: ['/srv/media'],
        spoolDir: '/var/spool/media',
        outputRoots: ['/srv/batches'],
        secrets: '/run/secrets',
        s3: { endpoint: 'https://minio.example:9000' },
        queuePrefix: 'films',
        slots: { transfer: 16, host: 16 },
        healthPort: 8080,
        healthHost: '127.0.0.1',
        shutdownGraceMs: 5_000,
        bandwidth: 50_000_000,
        storageLimits: { 'storage.example': 20, '*': 0.5 },
        version: { buildId: '8', deployment: 'films' },
        tuner: { targetMemory: 0.7 },
        tracesEndpoint: 'http://localhost:4318',
        logLevel: 'warn',
      },
    );
  });

  test.each([
    ['on a machine for this machine only', { healthPort: 8080 }, false, '127.0.0.1'],
    ['in a container for everybody whom its network lets in', { healthPort: 8080 }, true, '*'],
    ['on a machine as the flag says', { healthPort: 8080, healthHost: '10.0.0.7' }, false, '10.0.0.7'],
    ['in a container as the flag says', { healthPort: 8080, healthHost: '::1' }, true, '::1'],
    ['not at all without a port', {}, true, undefined],
  ])('opens the health port %s', async (_label, flags, inContainer, host) => {
    const settings = readSettings(ENV);
    const { accounts } = await servedAccounts(settings);
    const { healthHost } = workerConfigOf(settings, flags, { cwd: '/', accounts, inContainer });
    expect(healthHost).toBe(host);
  });

  test.each([
    ['without a port', { healthHost: '*' }, '--health-host needs --health-port'],
    ['that is empty', { healthPort: 8080, healthHost: '' }, '--health-host is empty.'],
  ])('refuses a health host %s', async (_how, flags, message) => {
    const settings = readSettings(ENV);
    const { accounts } = await servedAccounts(settings);
    expect(() => workerConfigOf(settings, flags, { cwd: '/', accounts, inContainer: false })).toThrow(
      expect.objectContaining({ code: 'Validation', message }),
    );
  });

  test('requires an account', async () => {
    await expect(servedAccounts(readSettings({}))).rejects.toMatchObject({ code: 'Configuration' });
  });

  test('contains the secret keys that open seals, including the earlier ones', async () => {
    const settings = readSettings({ ...ENV, MEDIA_SERVICE_PREVIOUS_SECRET_KEYS: 'secret-0 secret-00' });
    const { accounts } = await servedAccounts(settings);
    expect(accounts).toEqual([
      { account: ACCOUNT, options: {}, previousSecretKeys: ['secret-0', 'secret-00'] },
    ]);
  });

  test('refuses earlier secret keys in the environment together with a file of accounts', async () => {
    const both = {
      MEDIA_SERVICE_PREVIOUS_SECRET_KEYS: 'secret-0',
      MEDIA_SERVICE_ACCOUNTS: '/etc/media-service/accounts',
    };
    await expect(servedAccounts(readSettings(both))).rejects.toMatchObject({
      code: 'Configuration',
      message: expect.stringContaining('(previousSecretKeys)'),
    });
  });

  test('refuses an account in the environment together with a file of accounts', async () => {
    const both = { ...ENV, MEDIA_SERVICE_ACCOUNTS: '/etc/media-service/accounts' };
    await expect(servedAccounts(readSettings(both))).rejects.toMatchObject({
      code: 'Configuration',
      message: expect.stringContaining('the variables of an account are both set'),
    });
  });
});
