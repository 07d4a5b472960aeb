import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountId as idOf } from '../../../../../api/account/account-id';
import { createUndiciTransport } from '../../../../../api/transport/undici-transport';
import type { ActivityDeps } from '../../../../../temporal/activities/context/activity-deps';
import { planBatch } from '../../../../../temporal/activities/batch/plan-batch';
import type { BatchPlan } from '../../../../../temporal/contract/batch';
import { depsOf } from '../../../../../temporal/worker/deps-of';
import { createTempDir } from '../../../../support/temp-dir';
import type { TempDir } from '../../../../support/temp-dir';

const account = {
  baseUrl: 'https://service.example',
  uploadUrl: 'https://upload.example',
  apiKey: 'key',
  secretKey: 'a secret',
  externalId: 'studio',
};
const accountId = idOf(account);
const transport = createUndiciTransport();
let folder: TempDir;
let deps: ActivityDeps;

beforeAll(async () => {
  folder = await createTempDir('plan-batch');
  for (const name of ['media', 'out', 'elsewhere']) await mkdir(join(folder.path, name));
  const temporal = { address: '127.0.0.1:1', namespace: 'default' };
  const [roots, outputRoots] = [[join(folder.path, 'media')], [join(folder.path, 'out')]];
  deps = depsOf({ temporal, accounts: [{ account }], host: 'here', roots, outputRoots }, transport);
});
afterAll(async () => {
  await transport.close();
  await folder.remove();
});

async function plan(place: string, text: string, batchId = `from-${place}`): Promise<BatchPlan> {
  const path = join(folder.path, place, 'clips.csv');
  await writeFile(path, text);
  const input = {
    accountId,
    batchId,
    manifest: { source: { kind: 'path', path }, format: 'csv' },
    folder: { kind: 'path', path: join(folder.path, 'out', batchId) },
    options: {},
    startedBy: 'run',
  } as const;
  return new MockActivityEnvironment({ heartbeatTimeoutMs: 20_000 }).run(planBatch(deps), input);
}

describe('a manifest', () => {
  it.each([
    ['where files may be uploaded from', 'media'],
    ['where batches are written, as one from stdin and failed.csv do', 'out'],
  ])('is read that lies %s', async (_label, place) => {
    expect(await plan(place, 'source\n/films/a.mp4\n')).toMatchObject({ rows: 1, pages: 1 });
  });

  it('is not read that lies anywhere else', async () => {
    await expect(plan('elsewhere', 'source\n/films/a.mp4\n')).rejects.toMatchObject({
      type: 'SourceNotAllowed',
    });
  });

  it('without a byte is called an empty one', async () => {
    await expect(plan('media', '', 'of-nothing')).rejects.toThrow('the manifest is empty');
  });
});
