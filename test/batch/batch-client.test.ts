import { randomBytes } from 'node:crypto';
import { setTimeout as passes } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { listBatches, readBatchListing } from '../../temporal/client/batch/list-batches';
import { openBatch } from '../../temporal/client/batch/open-batch';
import { readBatchInput } from '../../temporal/client/batch/read-batch';
import { retryFailedRows } from '../../temporal/client/batch/retry-failed';
import { requireWorkers } from '../../temporal/client/unserved-queues';
import { batchNeed } from '../../temporal/client/worker-need';
import { batchFolder, startRows, writeRows } from '../support/batch-bed';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed();

describe('two starts of the same batch', () => {
  it('at the same time are one batch', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'raced', 3);
    const starts = await Promise.all([1, 2, 3].map(() => startRows(bed, 'raced', rows)));
    expect(starts.filter(({ joined }) => !joined)).toHaveLength(1);
    const results = await Promise.all(starts.map((start) => start.result()));
    for (const result of results) expect(result).toEqual(results[0]);
    expect(results[0]).toMatchObject({ round: 1, counts: { rows: 3, completed: 3 } });
  });

  it('are one as well once it has ended, and nothing is sent', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'ended', 2);
    const first = await (await startRows(bed, 'ended', rows)).result();
    const before = bed.simulator.seen().starts;
    const second = await startRows(bed, 'ended', rows, { options: { window: 3 } });
    expect(second.joined).toBe(true);
    expect(await second.result()).toEqual(first);
    const retried = await retryFailedRows(bed.connection, second.workflowId);
    expect(retried.joined).toBe(true);
    expect(bed.simulator.seen().starts).toBe(before);
  });

  it('are refused where the second one names another folder', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'moved', 1);
    await (await startRows(bed, 'moved', rows)).result();
    const elsewhere = { kind: 'path', path: batchFolder(bed, 'elsewhere') } as const;
    await expect(startRows(bed, 'moved', rows, { folder: elsewhere })).rejects.toMatchObject({
      code: 'InputDiffers',
      message: expect.stringContaining(`folder (there ${batchFolder(bed, 'moved')}, here ${elsewhere.path})`),
      facts: { details: { differs: 'folder' } },
    });
  });
});

it('what a batch was started with is read back without a worker, and holds no secret', async () => {
  const { bed } = on;
  const source = { kind: 'http', url: 'https://files.example/m.csv?token=hush', label: '' } as const;
  const { queuePrefix, account } = bed;
  const alone = { queuePrefix: `${queuePrefix}-nobody`, manifest: { source, format: 'csv' } as const };
  const batch = await startRows(bed, 'unread', [], alone);
  const input = await readBatchInput(bed.connection, batch.workflowId);
  expect(input).toMatchObject({
    batchId: 'unread',
    queuePrefix: alone.queuePrefix,
    folder: { kind: 'path', path: batchFolder(bed, 'unread') },
    manifest: { format: 'csv', source: { label: 'https://files.example/m.csv' } },
  });
  expect(JSON.stringify(input)).not.toMatch(new RegExp(`hush|${account.secretKey}|${account.apiKey}`));
  await bed.connection.client.workflow.getHandle(batch.workflowId).terminate();
  await expect(batch.result()).rejects.toMatchObject({
    code: 'Cancelled',
    message: 'The batch was terminated in Temporal.',
  });
  await expect(batch.pause()).rejects.toMatchObject({
    code: 'RequestRefused',
    message: expect.stringContaining('has already ended (TERMINATED)'),
  });
});

it('a batch that continued as new is still the one that was started', async () => {
  const { bed } = on;
  const rows = await writeRows(bed, 'carried', 6);
  const options = { pageRows: 1, window: 2, pagesPerRun: 2 };
  const first = await startRows(bed, 'carried', rows, { options });
  const started = await readBatchListing(bed.connection, first.workflowId);
  const result = await first.result();
  const ended = await readBatchListing(bed.connection, first.workflowId);
  expect(ended.runId).not.toBe(started.runId);
  expect(ended).toMatchObject({
    batchId: 'carried',
    manifest: '6 rows',
    folder: batchFolder(bed, 'carried'),
    counts: { completed: 6 },
  });
  expect(await readBatchInput(bed.connection, first.workflowId)).not.toHaveProperty('carried');
  const second = await startRows(bed, 'carried', rows, { options });
  expect({ joined: second.joined, result: await second.result() }).toEqual({ joined: true, result });
});

it('an upload is no batch, and an unknown batch is said to be unknown', async () => {
  const { bed } = on;
  const { path } = await bed.writeFile('single.mp4', 1);
  const { workflowId } = await bed.start(path);
  await expect(readBatchInput(bed.connection, workflowId)).rejects.toThrow('was not started as a batch');
  const unknown = `batch/${bed.accountId}/${randomBytes(4).toString('hex')}`;
  for (const ask of [
    () => openBatch(bed.connection, unknown).progress(),
    () => openBatch(bed.connection, unknown).result(),
    () => readBatchListing(bed.connection, unknown),
    () => retryFailedRows(bed.connection, unknown),
  ]) {
    await expect(ask()).rejects.toMatchObject({
      code: 'RequestRefused',
      message: `Temporal knows no such batch: ${unknown}.`,
    });
  }
});

it('lists name manifest, folder and counts; a range of ends finds what ended in it', async () => {
  const { bed } = on;
  const rows = await writeRows(bed, 'listed', 2);
  const batch = await startRows(bed, 'listed', rows);
  await batch.result();
  const own = { accountId: bed.accountId, queuePrefix: bed.queuePrefix };
  const described = await readBatchListing(bed.connection, batch.workflowId);
  expect(described).toMatchObject({
    status: 'COMPLETED',
    batchId: 'listed',
    manifest: '2 rows',
    folder: batchFolder(bed, 'listed'),
    counts: { rows: 2, completed: 2 },
  });
  const closedAt = described.closedAt?.getTime() ?? 0;
  const ended = { from: closedAt, to: closedAt + 1 };
  // Temporal's index lags behind.
  let found = await listBatches(bed.connection, { ...own, ended });
  while (found.length === 0) {
    await passes(50);
    found = await listBatches(bed.connection, { ...own, ended });
  }
  expect(found).toEqual([described]);
  const earlier = { from: 0, to: closedAt };
  expect(
    (await listBatches(bed.connection, { ...own, ended: earlier })).map(({ workflowId }) => workflowId),
  ).not.toContain(batch.workflowId);
});

it.each([
  ['the account', { queuePrefix: 'nobody' }, (id: string) => `nobody.${id}`],
  [
    'the folder’s machine',
    { folder: { kind: 'path', path: '/out', host: 'far' } },
    (id: string, prefix: string) => `${prefix}.${id}.transfer@far`,
  ],
  [
    'the files’ machine',
    { options: { sourceHost: 'farther' } },
    (id: string, prefix: string) => `${prefix}.${id}.transfer@farther`,
  ],
] as const)(
  'that no worker serves %s is told with its queue and what to do',
  async (_label, change, queue) => {
    const { bed } = on;
    const { queuePrefix, accountId } = bed;
    const need = {
      queuePrefix,
      accountId,
      manifest: { rows: [{ source: 'a.mp4' }] },
      folder: { kind: 's3', bucket: 'b', key: 'k' },
      options: {},
    } as const;
    await expect(requireWorkers(bed.connection, batchNeed(need))).resolves.toBeUndefined();
    const changed = batchNeed({ ...need, ...change });
    await expect(requireWorkers(bed.connection, changed)).rejects.toMatchObject({
      code: 'NoWorker',
      message: expect.stringContaining(queue(accountId, queuePrefix)),
      facts: { hint: expect.stringContaining('media-service worker') },
    });
  },
);
