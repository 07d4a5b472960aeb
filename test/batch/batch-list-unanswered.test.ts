import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { withNewestCounts } from '../../cli/batch/listed-batch';
import type { BatchHandle } from '../../temporal/client/batch/batch-handle';
import { readBatchListing, type BatchListing } from '../../temporal/client/batch/list-batches';
import { connectTemporal } from '../../temporal/client/connect';
import { startRows, writeRows } from '../support/batch-bed';
import { startTcpProxy } from '../support/tcp-proxy';
import { openUploadBed, type UploadBed } from '../support/upload-bed';

let bed: UploadBed;
let batches: readonly BatchHandle[];

beforeAll(async () => {
  bed = await openUploadBed();
  const rows = await writeRows(bed, 'unanswered', 1);
  batches = await Promise.all(['one', 'two', 'three'].map((name) => startRows(bed, name, rows)));
});
afterAll(async () => {
  const { workflow } = bed.connection.client;
  await Promise.all(batches.map(({ workflowId }) => workflow.getHandle(workflowId).terminate()));
  await bed.close();
});

function listings(): Promise<BatchListing[]> {
  return Promise.all(batches.map(({ workflowId }) => readBatchListing(bed.connection, workflowId)));
}

it('batches that run without a worker are listed as they were noted', async () => {
  const noted = await listings();
  expect(noted.map(({ status }) => status)).toEqual(['RUNNING', 'RUNNING', 'RUNNING']);
  expect(await withNewestCounts(bed.connection, noted)).toEqual(noted);
});

it('so they are where Temporal itself no longer answers, and nothing is left that would wait on for it', async () => {
  const [host = '', port = ''] = bed.config.temporal.address.split(':');
  const proxy = await startTcpProxy({ host, port: Number(port) });
  const connection = await connectTemporal({ ...bed.config.temporal, address: proxy.address });
  try {
    const noted = await listings();
    proxy.setWeather('black-hole');
    expect(await withNewestCounts(connection, noted)).toEqual(noted);
  } finally {
    await connection.close();
    await proxy.close();
  }
});
