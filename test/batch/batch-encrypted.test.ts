import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { BatchHandle } from '../../temporal/client/batch/batch-handle';
import { MAX_ROWS_BYTES, sentRowBytes } from '../../temporal/client/batch/batch-input';
import { connectTemporal } from '../../temporal/client/connect';
import { accountOfBatch, startRows, writeRows } from '../support/batch-bed';
import type { BatchRow } from '../support/batch-bed';
import { secretsIn } from '../support/canary';
import { sharedTemporal } from '../support/servers';
import { storedTree } from '../support/stored-texts';
import { useUploadBed } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });
const HIDDEN = ['hidden-title', 'hidden-tag', 'hidden-name', 'hidden-note'];

async function hiddenRows(bed: UploadBed, batchId: string): Promise<BatchRow[]> {
  const rows = await writeRows(bed, `hidden-name-${batchId}`, 4);
  return rows.map((row, number) => ({
    ...row,
    id: `r${String(number)}`,
    title: `hidden-title ${String(number)}`,
    tags: { campaign: 'hidden-tag' },
    metadata: { note: 'hidden-note' },
    ...(number === 3 ? { source: `${bed.folder}/gone.mp4` } : {}),
  }));
}

const options = { pageRows: 2, window: 2, pagesPerRun: 1 };

describe('a batch with codec keys', () => {
  it.each([
    ['its root and pages', 'coded', {}, ['coded', 'page-N']],
    ['its root, pages and uploads', 'coded-alone', { maxGroupedBytes: 0 }, ['coded-alone', 'page-N', 'rN']],
  ])(
    'hides titles, tags, metadata and file names in %s from Temporal',
    async (_where, batchId, more, ids) => {
      const { bed } = on;
      const temporal = { ...sharedTemporal(), codecKeys: `k1:${randomBytes(32).toString('base64')}` };
      const stop = await bed.startWorker({ temporal });
      const connection = await connectTemporal(temporal);
      try {
        const rows = await hiddenRows(bed, batchId);
        const batch = await startRows({ ...bed, connection }, batchId, rows, {
          options: { ...options, ...more },
        });
        const { counts } = await batch.result();
        expect(counts).toMatchObject({ rows: 4, completed: 3, failed: 1 });
        expect((await accountOfBatch(bed, batchId)).map(({ title }) => title)).toEqual(
          rows.map((row) => row['title']),
        );
        expect((await batch.progress()).counts).toEqual(counts);
        const tree = await storedTree(bed.connection, batch.workflowId);
        expect(tree.map(({ workflowId }) => workflowId.split('/').at(-1)?.replace(/\d/, 'N'))).toEqual(
          expect.arrayContaining(ids),
        );
        for (const { workflowId, history, described } of tree) {
          expect([workflowId, secretsIn(`${history}\n${described}`, HIDDEN)]).toEqual([workflowId, []]);
          expect(history).toContain('binary/encrypted');
        }
      } finally {
        await connection.close();
        await stop();
      }
    },
  );

  it('takes as many rows directly as its own limit allows, which Temporal takes as well', async () => {
    const { bed } = on;
    const temporal = { ...sharedTemporal(), codecKeys: `k1:${randomBytes(32).toString('base64')}` };
    const connection = await connectTemporal(temporal);
    const rowAt = (at: number): BatchRow => ({ id: String(at), source: `https://a.example/${at}.mp4` });
    const rows: BatchRow[] = [];
    for (
      let bytes = 1 + sentRowBytes(rowAt(0));
      bytes <= MAX_ROWS_BYTES;
      bytes += sentRowBytes(rowAt(rows.length))
    )
      rows.push(rowAt(rows.length));
    const startWith = (batchId: string, some: readonly BatchRow[]): Promise<BatchHandle> =>
      startRows({ ...bed, connection }, batchId, some);
    try {
      const batch = await startWith('full', rows);
      await connection.client.workflow.getHandle(batch.workflowId).terminate();
      const oneMore = [...rows, rowAt(rows.length)];
      await expect(startWith('over-full', oneMore)).rejects.toMatchObject({ code: 'Validation' });
    } finally {
      await connection.close();
    }
  });

  it('shows them all without', async () => {
    const { bed } = on;
    const stop = await bed.startWorker();
    const batch = await startRows(bed, 'plain', await hiddenRows(bed, 'plain'), { options });
    await batch.result();
    const [root, page] = await storedTree(bed.connection, batch.workflowId);
    expect([root, page].map((one) => secretsIn(one?.history ?? '', HIDDEN))).toEqual([HIDDEN, HIDDEN]);
    await stop();
  });
});
