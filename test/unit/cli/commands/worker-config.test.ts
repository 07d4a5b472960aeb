import { describe, expect, test } from '@jest/globals';
import { ConfigurationError } from '../../../../api/errors';
import { workerConfigOf } from '../../../../cli/commands/worker';
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

describe('the worker', () => {
  test('reads files of the folder it was started in while no roots are set', () => {
    expect(workerConfigOf(readSettings(ENV), {}, '/srv/here')).toEqual({
      temporal: { address: 'localhost:7233', namespace: 'default' },
      accounts: [{ account: ACCOUNT, options: {} }],
      host: 'ingest-1',
      roots: ['/srv/here'],
      sourceHosts: [],
    });
  });

  test('is told everything that settings and flags say', () => {
    const settings = readSettings({
      ...ENV,
      MEDIA_SERVICE_FILE_ROOTS: '/srv/media',
      MEDIA_SERVICE_SPOOL_DIR: '/var/spool/media',
      MEDIA_SERVICE_QUEUE_PREFIX: 'films',
      MEDIA_SERVICE_MAX_PARTS: '60',
    });
    const flags = { concurrency: 16, healthPort: 8080, grace: 5_000, logLevel: 'warn' as const };
    expect(workerConfigOf(settings, flags, '/srv/here')).toMatchObject({
      accounts: [{ account: ACCOUNT, options: { maxParts: 60 } }],
      roots: ['/srv/media'],
      spoolDir: '/var/spool/media',
      queuePrefix: 'films',
      slots: { transfer: 16, host: 16 },
      healthPort: 8080,
      shutdownGraceMs: 5_000,
      logLevel: 'warn',
    });
  });

  test('does not start without its account', () => {
    expect(() => workerConfigOf(readSettings({}), {}, '/srv/here')).toThrow(ConfigurationError);
  });
});
