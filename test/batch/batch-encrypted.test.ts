import { randomBytes } from 'node:crypto';
import { readBatchListing } from '../../temporal/batch/client/list-batches';
import { connectTemporal } from '../../temporal/client/connect';
import type { TemporalConnection } from '../../temporal/client/connect';
import { resultsOfBatch, rowsThatFit, startRows, writeRows } from '../support/batch-fixture';
import type { BatchRow } from '../support/batch-fixture';
import { secretsIn } from '../support/canary';
import { sharedTemporal } from '../support/servers';
import { storedTree } from '../support/stored-texts';
import { useUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
const temporal = { ...sharedTemporal(), codecKeys: `k1:${randomBytes(32).toString('base64')}` };
let connection: TemporalConnection;
beforeAll(async () => {
  connection = await connectTemporal(temporal);
});
afterAll(() => connection.close());

const HIDDEN = ['hidden-title', 'hidden-tag', 'hidden-name', 'hidden-note'];

async function hiddenRows(fixture: UploadFixture, batchId: string): Promise<BatchRow[]> {
  const rows = await writeRows(fixture, `hidden-name-${batchId}`, 4);
  return rows.map((row, number) => ({
    ...row,
    id: `r${String(number)}`,
    title: `hidden-title ${String(number)}`,
    tags: { campaign: 'hidden-tag' },
    metadata: { note: 'hidden-note' },
    ...(number === 3 ? { source: `${fixture.folder}/gone.mp4` } : {}),
  }));
}

/** Of the four rows, the third is large, and the last has no file. */
const options = { pageRows: 2, parallelUploads: 2, smallFileBytes: 1_021 };

describe('a batch with codec keys', () => {
  it('hides titles, tags, metadata and file names in its root, pages and uploads from Temporal', async () => {
    const { fixture } = on;
    const stop = await fixture.startWorker({ temporal });
    const rows = await hiddenRows(fixture, 'coded');
    const batch = await startRows({ ...fixture, connection }, 'coded', rows, { options });
    const { counts } = await batch.result();
    expect(counts).toMatchObject({ rows: 4, completed: 3, failed: 1 });
    expect((await resultsOfBatch(fixture, 'coded')).map(({ title }) => title)).toEqual(
      rows.map((row) => row['title']),
    );
    expect((await batch.progress()).counts).toEqual(counts);
    expect(await readBatchListing(fixture.connection, batch.workflowId)).toMatchObject({
      status: 'COMPLETED',
      unreadable: 'k1',
    });
    const tree = await storedTree(fixture.connection, batch.workflowId);
    const names = tree.map(({ workflowId }) => workflowId.split('/').at(-1)?.replace(/\d/, 'N'));
    expect(names).toEqual(['coded', 'page-N', 'page-N', 'rN']);
    for (const { workflowId, history, described } of tree) {
      expect([workflowId, secretsIn(`${history}\n${described}`, HIDDEN)]).toEqual([workflowId, []]);
      expect(history).toContain('binary/encrypted');
    }
    await stop();
  });

  it('shows all of them in its root when there are no codec keys', async () => {
    const { fixture } = on;
    const batch = await startRows(fixture, 'plain', await hiddenRows(fixture, 'plain'), { options });
    const [root] = await storedTree(fixture.connection, batch.workflowId);
    expect(secretsIn(root?.history ?? '', HIDDEN)).toEqual(HIDDEN);
    await fixture.connection.client.workflow.getHandle(batch.workflowId).terminate();
  });

  it('accepts as many direct rows as its own limit allows, and so does Temporal', async () => {
    const batch = await startRows({ ...on.fixture, connection }, 'full', rowsThatFit());
    await connection.client.workflow.getHandle(batch.workflowId).terminate();
  });
});
