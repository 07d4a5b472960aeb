import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ManifestRow } from '../../../../../manifest/row';
import { accountId as idOf } from '../../../../../api/account/account-id';
import { createUndiciTransport } from '../../../../../api/transport/undici-transport';
import type { ActivityDeps } from '../../../../../temporal/activities/context/activity-deps';
import { loadPage } from '../../../../../temporal/activities/batch/load-page';
import type { LoadedPage } from '../../../../../temporal/activities/batch/load-page';
import { rowsFile } from '../../../../../temporal/activities/batch/ledger/batch-files';
import { writeLines } from '../../../../../temporal/activities/batch/ledger/line-files';
import { plannedRow } from '../../../../../temporal/activities/batch/ledger/planned-row';
import { sealKeyOf } from '../../../../../temporal/seal';
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
  folder = await createTempDir('load-page');
  const temporal = { address: '127.0.0.1:1', namespace: 'default' };
  const config = { temporal, accounts: [{ account }], host: 'here', roots: [], outputRoots: [folder.path] };
  deps = depsOf(config, transport);
});
afterAll(async () => {
  await transport.close();
  await folder.remove();
});

async function load(rows: readonly ManifestRow[]): Promise<LoadedPage> {
  const planned = rows.map((row) => plannedRow(row, sealKeyOf(account.secretKey)));
  await writeLines(deps.places, rowsFile({ kind: 'path', path: folder.path }, 0), planned);
  return loadFrom(folder.path);
}

function loadFrom(path: string): Promise<LoadedPage> {
  const input = {
    accountId,
    queuePrefix: 'p',
    batchId: 'films',
    folder: { kind: 'path', path } as const,
    options: { bytesPerSecond: 1_000_000, upload: { concurrency: 2 } },
    page: 0,
    round: 1,
    retryFailed: false,
    again: false,
  };
  return new MockActivityEnvironment({ heartbeatTimeoutMs: 20_000 }).run(loadPage(deps), input);
}

describe('a page that is loaded', () => {
  it('gives each row the schema that its own source needs', async () => {
    const { rows } = await load([
      { line: 2, id: 'a', source: '/films/a.mp4', media: {} },
      { line: 3, id: 'b', source: 's3://films/b.mp4', media: {} },
    ]);
    expect(rows.map(({ upload }) => upload?.input.schema)).toEqual([1, 2]);
  });

  it('shows no query of an address, and seals it for the upload', async () => {
    const source = 'https://cdn.example/films/a.mp4?X-Amz-Signature=canary';
    const loaded = await load([{ line: 2, id: 'a', source, media: {} }]);
    expect(JSON.stringify(loaded)).not.toContain('canary');
    expect(loaded.rows).toMatchObject([
      {
        source: 'https://cdn.example/a.mp4',
        label: 'https://cdn.example/a.mp4',
        workflowId: `upload/${accountId}/films/a`,
        upload: {
          input: { ingestKey: 'films/a', source: { kind: 'http', url: { keyId: expect.any(String) } } },
        },
      },
    ]);
  });

  it('names each file for the account as the manifest does, folders and all', async () => {
    const sources = [
      '/films/dawn/take1.mp4',
      '/films/dusk/take1.mp4',
      's3://films/dawn/take1.mp4',
      'gone.mp4',
    ];
    const loaded = await load(
      sources.map((source, index) => ({ line: index + 2, id: String(index), source, media: {} })),
    );
    expect(loaded.rows.map(({ source }) => source)).toEqual(sources);
  });

  it('makes all uploads share the bandwidth of the batch', async () => {
    const { shared } = await load([{ line: 2, id: 'a', source: '/films/a.mp4', media: {} }]);
    expect(shared?.options).toEqual({
      concurrency: 2,
      bytesPerSecond: 1_000_000,
      bandwidthGroup: `${accountId}/films`,
    });
  });

  it('tells of a row that cannot be uploaded why, beside those that can', async () => {
    const { rows, counts } = await load([
      { line: 2, id: 'a', source: 'relative.mp4', media: {} },
      { line: 3, id: 'b', source: '/films/b.mp4', media: {} },
    ]);
    expect(rows.map(({ error }) => error?.code)).toEqual(['Validation', undefined]);
    expect(counts).toMatchObject({ rows: 2, waiting: 2 });
  });

  it('is tried again where its folder is away: it can come back', async () => {
    await expect(loadFrom(join(folder.path, 'unmounted'))).rejects.toMatchObject({
      message: expect.stringContaining('does not exist'),
      nonRetryable: false,
    });
  });
});
