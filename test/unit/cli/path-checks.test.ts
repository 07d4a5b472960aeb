import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createS3 } from '../../../files/s3/s3-client';
import type { S3Entry, S3Objects } from '../../../files/s3/s3-objects';
import { checkPaths, checkS3, pathChecks } from '../../../cli/doctor-checks';
import type { Finding } from '../../../cli/doctor-checks';
import { readSettings } from '../../../settings/settings';
import { useCredentials } from '../../support/aws-credentials';
import { useTempDir } from '../../support/use-temp-dir';

useCredentials('key', 'secret');
const SIGNAL = new AbortController().signal;

const dir = useTempDir('file-checks');
const secretsFile = (): string => join(dir.path, 'secrets.json');
beforeAll(() => writeFile(secretsFile(), '{}'));

async function checked(check: string, env: Record<string, string>): Promise<Finding | undefined> {
  const paths = pathChecks(readSettings(env), '/srv/here').find((each) => each.check === check);
  return paths && checkPaths(paths);
}

test.each([
  ['skipped if none is set', () => ({}), 'skip', 'only to /srv/here'],
  ['fine if they can be written', () => ({ MEDIA_SERVICE_OUTPUT_ROOTS: dir.path }), 'ok', ''],
  ['named if they are missing', () => ({ MEDIA_SERVICE_OUTPUT_ROOTS: '/nowhere' }), 'fail', '/nowhere'],
])('the folders for output are %s', async (_what, env, state, says) => {
  const finding = await checked('output roots', env());
  expect(finding?.state).toBe(state);
  expect(finding?.says).toContain(says);
});

test.each([
  ['is skipped if MEDIA_SERVICE_SECRETS is not set', () => ({}), 'skip'],
  ['passes if it names a readable folder', () => ({ MEDIA_SERVICE_SECRETS: dir.path }), 'ok'],
  ['passes if it names a readable file', () => ({ MEDIA_SERVICE_SECRETS: secretsFile() }), 'ok'],
  ['fails if it names nothing that exists', () => ({ MEDIA_SERVICE_SECRETS: '/nowhere' }), 'fail'],
])('the check of named secrets %s', async (_what, env, state) => {
  expect(await checked('secrets', env())).toMatchObject({ check: 'secrets', state });
});

describe('S3', () => {
  const ENDPOINT = 'http://127.0.0.1:1';

  test('is not checked while no bucket is named', async () => {
    const settings = readSettings({ MEDIA_SERVICE_S3_ENDPOINT: ENDPOINT });
    expect(await checkS3(settings, createS3(), SIGNAL)).toMatchObject({ state: 'skip' });
  });

  test('is fine if each named bucket can be listed', async () => {
    const listed: string[] = [];
    const s3: S3Objects = {
      ...createS3(),
      async *list(bucket): AsyncGenerator<S3Entry> {
        listed.push(bucket);
        yield { key: 'a', bytes: 1 };
        throw new Error('More was read than needed.');
      },
    };
    const settings = readSettings({ MEDIA_SERVICE_S3_BUCKETS: 'incoming, reports' });
    expect(await checkS3(settings, s3, SIGNAL)).toMatchObject({
      state: 'ok',
      says: "Amazon's: incoming, reports",
    });
    expect(listed).toEqual(['incoming', 'reports']);
  });

  test("that can't be reached is an error that names the endpoint", async () => {
    const settings = readSettings({
      MEDIA_SERVICE_S3_ENDPOINT: ENDPOINT,
      MEDIA_SERVICE_S3_BUCKETS: 'incoming',
    });
    await expect(checkS3(settings, createS3(settings.s3), SIGNAL)).rejects.toMatchObject({
      code: 'Transport',
      message: expect.stringContaining(ENDPOINT),
    });
  });
});
