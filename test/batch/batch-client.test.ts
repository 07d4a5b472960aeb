import { randomBytes } from 'node:crypto';
import { readBatchListing } from '../../temporal/batch/client/list-batches';
import { openBatch, readBatchInput } from '../../temporal/batch/client/open-batch';
import { retryFailedRows } from '../../temporal/batch/client/start-batch';
import { batchFolder, startRows, writeRows } from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

it('starts of the same batch make one batch if they come at the same time', async () => {
  const { fixture } = on;
  const rows = await writeRows(fixture, 'raced', 3);
  const starts = await Promise.all([1, 2, 3].map(() => startRows(fixture, 'raced', rows)));
  expect(starts.filter(({ joined }) => !joined)).toHaveLength(1);
  const results = await Promise.all(starts.map((start) => start.result()));
  for (const result of results) expect(result).toEqual(results[0]);
  expect(results[0]).toMatchObject({ round: 1, counts: { rows: 3, completed: 3 } });
});

it('the options of a batch can be read back without a worker', async () => {
  const { fixture } = on;
  const source = { kind: 'http', url: 'https://files.example/m.csv?token=hush', label: '' } as const;
  const { queuePrefix } = fixture;
  const alone = { queuePrefix: `${queuePrefix}-nobody`, manifest: { source, format: 'csv' } as const };
  const batch = await startRows(fixture, 'unread', [], alone);
  const input = await readBatchInput(fixture.connection, batch.workflowId);
  expect(input).toMatchObject({
    batchId: 'unread',
    queuePrefix: alone.queuePrefix,
    folder: { kind: 'path', path: batchFolder(fixture, 'unread') },
    manifest: { format: 'csv', source: { label: 'https://files.example/m.csv' } },
  });
  await fixture.connection.client.workflow.getHandle(batch.workflowId).terminate();
  await expect(batch.result()).rejects.toMatchObject({
    code: 'Cancelled',
    message: 'The batch was terminated in Temporal.',
  });
  await expect(batch.pause()).rejects.toMatchObject({
    code: 'RequestRefused',
    message: expect.stringContaining('has ended (TERMINATED)'),
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
