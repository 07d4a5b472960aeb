import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { withNewestCounts } from '../../cli/commands/batches/list';
import type { BatchHandle } from '../../temporal/batch/client/open-batch';
import { readBatchListing } from '../../temporal/batch/client/list-batches';
import type { BatchListing } from '../../temporal/batch/client/list-batches';
import { connectTemporal } from '../../temporal/client/connect';
import { startRows, writeRows } from '../support/batch-fixture';
import { startTcpProxy } from '../support/tcp-proxy';
import { openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

let fixture: UploadFixture;
let batches: readonly BatchHandle[];

beforeAll(async () => {
  fixture = await openUploadFixture();
  const rows = await writeRows(fixture, 'unanswered', 1);
  batches = await Promise.all(['one', 'two', 'three'].map((name) => startRows(fixture, name, rows)));
});
afterAll(async () => {
  const { workflow } = fixture.connection.client;
  await Promise.all(batches.map(({ workflowId }) => workflow.getHandle(workflowId).terminate()));
  await fixture.close();
});

function listings(): Promise<BatchListing[]> {
  return Promise.all(batches.map(({ workflowId }) => readBatchListing(fixture.connection, workflowId)));
}

it('batches that run without a worker are listed with what Temporal recorded of them', async () => {
  const noted = await listings();
  expect(noted.map(({ status }) => status)).toEqual(['RUNNING', 'RUNNING', 'RUNNING']);
  expect(await withNewestCounts(fixture.connection, noted)).toEqual(noted);
});

it('they are also listed when Temporal itself stops answering, and nothing keeps waiting for it', async () => {
  const [host = '', port = ''] = fixture.config.temporal.address.split(':');
  const proxy = await startTcpProxy({ host, port: Number(port) });
  const connection = await connectTemporal({ ...fixture.config.temporal, address: proxy.address });
  try {
    const noted = await listings();
    proxy.setWeather('black-hole');
    expect(await withNewestCounts(connection, noted)).toEqual(noted);
  } finally {
    await connection.close();
    await proxy.close();
  }
});
