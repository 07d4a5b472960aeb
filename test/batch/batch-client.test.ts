import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { listBatches, readBatchListing } from '../../temporal/batch/client/list-batches';
import { openBatch, readBatchInput } from '../../temporal/batch/client/open-batch';
import { retryFailedRows } from '../../temporal/batch/client/start-batch';
import { unservedQueues } from '../../temporal/client/unserved-queues';
import { batchNeed } from '../../temporal/client/living-workers';
import { batchFolder, startRows, writeRows } from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const on = useUploadFixture();

describe('starting the same batch twice', () => {
  it('makes one batch if both starts come at the same time', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'raced', 3);
    const starts = await Promise.all([1, 2, 3].map(() => startRows(fixture, 'raced', rows)));
    expect(starts.filter(({ joined }) => !joined)).toHaveLength(1);
    const results = await Promise.all(starts.map((start) => start.result()));
    for (const result of results) expect(result).toEqual(results[0]);
    expect(results[0]).toMatchObject({ round: 1, counts: { rows: 3, completed: 3 } });
  });

  it('is refused if the second start names another folder', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'moved', 1);
    await (await startRows(fixture, 'moved', rows)).result();
    const elsewhere = { kind: 'path', path: batchFolder(fixture, 'elsewhere') } as const;
    await expect(startRows(fixture, 'moved', rows, { folder: elsewhere })).rejects.toMatchObject({
      code: 'InputDiffers',
      message: expect.stringContaining(
        `folder (there ${batchFolder(fixture, 'moved')}, here ${elsewhere.path})`,
      ),
      facts: { details: { differs: 'folder' } },
    });
  });
});

it('the options of a batch can be read back without a worker, and hold no secret', async () => {
  const { fixture } = on;
  const source = { kind: 'http', url: 'https://files.example/m.csv?token=hush', label: '' } as const;
  const { queuePrefix, account } = fixture;
  const alone = { queuePrefix: `${queuePrefix}-nobody`, manifest: { source, format: 'csv' } as const };
  const batch = await startRows(fixture, 'unread', [], alone);
  const input = await readBatchInput(fixture.connection, batch.workflowId);
  expect(input).toMatchObject({
    batchId: 'unread',
    queuePrefix: alone.queuePrefix,
    folder: { kind: 'path', path: batchFolder(fixture, 'unread') },
    manifest: { format: 'csv', source: { label: 'https://files.example/m.csv' } },
  });
  expect(JSON.stringify(input)).not.toMatch(new RegExp(`hush|${account.secretKey}|${account.apiKey}`));
  await fixture.connection.client.workflow.getHandle(batch.workflowId).terminate();
  await expect(batch.result()).rejects.toMatchObject({
    code: 'Cancelled',
    message: 'The batch was terminated in Temporal.',
  });
  await expect(batch.pause()).rejects.toMatchObject({
    code: 'RequestRefused',
    message: expect.stringContaining('was terminated in Temporal'),
  });
});

it('an upload is not taken for a batch, and an unknown batch is reported as unknown', async () => {
  const { fixture } = on;
  const { path } = await fixture.writeFile('single.mp4', 1);
  const { workflowId } = await fixture.start(path);
  await expect(readBatchInput(fixture.connection, workflowId)).rejects.toThrow('was not started as a batch');
  const unknown = `batch/${fixture.accountId}/${randomBytes(4).toString('hex')}`;
  for (const ask of [
    () => openBatch(fixture.connection, unknown).progress(),
    () => openBatch(fixture.connection, unknown).result(),
    () => readBatchListing(fixture.connection, unknown),
    () => retryFailedRows(fixture.connection, unknown),
  ]) {
    await expect(ask()).rejects.toMatchObject({
      code: 'RequestRefused',
      message: `Temporal knows no such batch: ${unknown}.`,
    });
  }
});

it('lists show manifest, folder and counts; a range of end times finds what ended in it', async () => {
  const { fixture } = on;
  const rows = await writeRows(fixture, 'listed', 2);
  const batch = await startRows(fixture, 'listed', rows);
  await batch.result();
  const own = { accountId: fixture.accountId, queuePrefix: fixture.queuePrefix };
  const described = await readBatchListing(fixture.connection, batch.workflowId);
  expect(described).toMatchObject({
    status: 'COMPLETED',
    batchId: 'listed',
    manifest: '2 rows',
    folder: batchFolder(fixture, 'listed'),
    counts: { rows: 2, completed: 2 },
  });
  const closedAt = described.closedAt?.getTime() ?? 0;
  const ended = { from: closedAt, to: closedAt + 1 };
  // Temporal's index is updated late.
  const found = await until(
    'the batch is listed as ended',
    () => listBatches(fixture.connection, { ...own, ended }),
    (listed) => listed.length > 0,
  );
  expect(found).toEqual([described]);
  const earlier = { from: 0, to: closedAt };
  expect(
    (await listBatches(fixture.connection, { ...own, ended: earlier })).map(({ workflowId }) => workflowId),
  ).not.toContain(batch.workflowId);
});

it.each([
  ['the account', { queuePrefix: 'nobody' }, (id: string) => `nobody.${id}`],
  [
    "the folder's machine",
    { folder: { kind: 'path', path: '/out', host: 'far' } },
    (id: string, prefix: string) => `${prefix}.${id}.transfer@far`,
  ],
  [
    "the files' machine",
    { options: { sourceHost: 'farther' } },
    (id: string, prefix: string) => `${prefix}.${id}.transfer@farther`,
  ],
] as const)('says that no worker serves %s, with its queue', async (_label, change, queue) => {
  const { fixture } = on;
  const { queuePrefix, accountId } = fixture;
  const need = {
    queuePrefix,
    accountId,
    manifest: { rows: [{ source: 'a.mp4' }] },
    folder: { kind: 's3', bucket: 'b', key: 'k' },
    options: {},
  } as const;
  expect(await unservedQueues(fixture.connection, batchNeed(need))).toEqual([]);
  const changed = batchNeed({ ...need, ...change });
  expect(await unservedQueues(fixture.connection, changed)).toMatchObject([
    { queue: queue(accountId, queuePrefix) },
  ]);
});
