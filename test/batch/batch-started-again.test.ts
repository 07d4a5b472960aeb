import { rename } from 'node:fs/promises';
import type { BatchHandle } from '../../temporal/batch/client/open-batch';
import { ifKnown } from '../../temporal/client/rpc-failure';
import {
  batchFolder,
  expectOnce,
  HASTY,
  LARGE_BYTES,
  pageIdOf,
  progressWhen,
  resultsOfBatch,
  startRows,
  writeRows,
} from '../support/batch-fixture';
import type { BatchRow } from '../support/batch-fixture';
import { nextHeld, processingHeld } from '../support/held';
import { PART_BYTES, useUploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const on = useUploadFixture();
const MISSING: BatchRow = { id: 'missing', source: 'missing' };

describe.each([
  ['continues its session if parts can get fresh URLs', true],
  ['names every session that it left behind if they can get none', false],
])('a row that left a session with a cancel, and with a terminated page', (what, additionalUrls) => {
  const own = useUploadFixture({ additionalUrls });

  it(`is uploaded, and ${what}`, async () => {
    const { fixture } = own;
    const rows = await writeRows(fixture, 'littered', 1, LARGE_BYTES);
    const startHeld = async (): Promise<BatchHandle> => {
      fixture.simulator.fault('hold');
      const held = nextHeld(fixture.simulator);
      const batch = await startRows(fixture, 'littered', rows, { options: { upload: { stallMs: 120_000 } } });
      await held();
      return batch;
    };
    const first = await startHeld();
    await first.cancel();
    await expect(first.result()).rejects.toMatchObject({ code: 'Cancelled' });
    const second = await startHeld();
    const page = await pageIdOf(fixture, second.workflowId, 0, 2);
    await fixture.connection.client.workflow.getHandle(page).terminate('by hand');
    await expect(second.result()).rejects.toMatchObject({
      code: 'Internal',
      message: expect.stringContaining(`${page} ended without a result`),
      facts: { hint: expect.stringContaining('Start the batch again') },
    });
    const third = await startRows(fixture, 'littered', rows);
    expect((await third.result()).counts).toMatchObject({ completed: 1 });
    fixture.simulator.release();
    const { sessions } = fixture.simulator.seen();
    expect(sessions).toHaveLength(additionalUrls ? 1 : 3);
    const left = sessions.filter(({ status }) => status !== 'COMPLETED').map(({ uploadId }) => uploadId);
    const [line] = await resultsOfBatch(fixture, 'littered');
    expect(line?.orphans.map(({ uploadId }) => uploadId ?? '').sort()).toEqual(left.sort());
  });
});

describe('a batch that is started again', () => {
  it('sends only the missing parts of a failed row with its own workflow', async () => {
    const { fixture } = on;
    const { path, sha256 } = await fixture.writeFile('missing.mp4', 3);
    const rows = [{ id: 'missing', source: path }];
    const options = { smallFileBytes: 0, upload: { partBytes: PART_BYTES, concurrency: 1 } };
    fixture.simulator.fault('put-403-denied:always:part=3');
    const first = await startRows(fixture, 'missing', rows, { options });
    expect((await first.result()).counts).toMatchObject({ failed: 1 });
    fixture.simulator.clearFaults();
    const again = await startRows(fixture, 'missing', rows, { options, retryFailed: true });
    expect((await again.result()).counts).toMatchObject({ completed: 1 });
    const [line] = await resultsOfBatch(fixture, 'missing');
    const session = fixture.session(line?.uploadId);
    expect([session.parts.map(({ puts }) => puts), line?.orphans]).toEqual([[1, 1, 1], []]);
    expect(await fixture.simulator.objectSha256(session.keyName)).toBe(sha256);
  });

  it('is refused if its folder is lost, since only the folder knows what is uploaded', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'emptied', 2);
    await (await startRows(fixture, 'emptied', rows)).result();
    const folder = batchFolder(fixture, 'emptied');
    await rename(folder, `${folder}-away`);
    const manifest = { rows: [...rows, ...(await writeRows(fixture, 'emptied-more', 1))] };
    const lost = await startRows(fixture, 'emptied', rows, { manifest });
    await expect(lost.result()).rejects.toMatchObject({
      code: 'SourceMissing',
      message: expect.stringContaining('no longer holds its plan'),
    });
    await rename(`${folder}-away`, folder);
    const found = await startRows(fixture, 'emptied', rows, { manifest });
    expect((await found.result()).counts).toMatchObject({ completed: 3, earlier: 2 });
    expectOnce(fixture, rows);
  });

  it('finds the completed session in its folder after Temporal has forgotten the batch', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'forgotten', 2);
    fixture.simulator.fault('processing-stuck:1');
    const first = await startRows(fixture, 'forgotten', rows);
    await progressWhen(first, ({ counts }) => counts.completed === 1);
    await first.cancel();
    await expect(first.result()).rejects.toMatchObject({ code: 'Cancelled' });
    fixture.simulator.release();
    const { client, namespace } = fixture.connection;
    for (const workflowId of [await pageIdOf(fixture, first.workflowId, 0), first.workflowId]) {
      await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } });
      const gone = client.workflow.getHandle(workflowId);
      await until(`${workflowId} is deleted`, async () => (await ifKnown(gone.describe())) === undefined);
    }
    const second = await startRows(fixture, 'forgotten', rows);
    expect((await second.result()).counts).toMatchObject({ completed: 2, earlier: 2 });
    expectOnce(fixture, rows);
  });

  it('ends the pages that still run if its root was terminated, and uploads nothing twice', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'beheaded', 6);
    const processed = processingHeld(fixture.simulator, 1);
    const first = await startRows(fixture, 'beheaded', rows, { options: { pageRows: 6 } });
    await processed;
    const page = fixture.connection.client.workflow.getHandle(await pageIdOf(fixture, first.workflowId, 0));
    await fixture.connection.client.workflow.getHandle(first.workflowId).terminate('by hand');
    expect((await page.describe()).status.name).toBe('RUNNING');
    const second = await startRows(fixture, 'beheaded', rows, { options: { pageRows: 6 } });
    await page.result();
    fixture.simulator.release();
    expect((await second.result()).counts).toMatchObject({ rows: 6, completed: 6 });
    expectOnce(fixture, rows);
  });

  it('joins an upload of the same row by somebody else, whether it runs or has completed', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'joined', 2);
    const [running = MISSING, done = MISSING] = rows;
    const processed = processingHeld(fixture.simulator, 1);
    const start = (row: BatchRow) =>
      fixture.start(row.source, {
        source: { kind: 'path', path: row.source },
        media: { title: `Film ${row.id}` },
        ingestKey: `joined/${row.id}`,
        options: HASTY,
      });
    const upload = await start(running);
    await processed;
    const finished = await (await start(done)).result();
    const batch = await startRows(fixture, 'joined', rows);
    await progressWhen(batch, ({ counts }) => counts.completed === 1 && counts.running === 1);
    fixture.simulator.release();
    const { uploadId } = await upload.result();
    expect((await batch.result()).counts).toMatchObject({ completed: 2, earlier: 2 });
    expect(await resultsOfBatch(fixture, 'joined')).toMatchObject([
      { uploadId, joined: true },
      { uploadId: finished.uploadId, joined: true },
    ]);
  });

  it('does not take over an upload that has the same key and another file', async () => {
    const { fixture } = on;
    const [row = MISSING] = await writeRows(fixture, 'taken', 1);
    const other = { media: { title: 'Another film' }, ingestKey: `taken/${row.id}` };
    await (await fixture.start(row.source, other)).result();
    const { counts } = await (await startRows(fixture, 'taken', [row])).result();
    expect(counts).toMatchObject({ completed: 0, failed: 1 });
    expect((await resultsOfBatch(fixture, 'taken'))[0]).toMatchObject({ error: { code: 'InputDiffers' } });
  });
});
