import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../api/json';
import type { BatchHandle } from '../../temporal/client/batch/batch-handle';
import { listBatches, readBatchListing } from '../../temporal/client/batch/list-batches';
import { openBatch } from '../../temporal/client/batch/open-batch';
import { retryFailedRows } from '../../temporal/client/batch/retry-failed';
import {
  accountOfBatch,
  batchFolder,
  HASTY,
  completedTitles,
  pageIdOf,
  progressWhen,
  startRows,
  statuses,
  writeRows,
  type BatchRow,
} from '../support/batch-bed';
import { freePort } from '../support/free-port';
import { useUploadBed } from '../support/upload-bed';
import { until } from '../support/until';

const on = useUploadBed();

async function writeManifest(name: string, rows: readonly JsonObject[]): Promise<string> {
  const path = join(on.bed.folder, `${name}.jsonl`);
  await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return path;
}

function startManifest(batchId: string, path: string): Promise<BatchHandle> {
  const manifest = { source: { kind: 'path', path }, format: 'jsonl' } as const;
  return startRows(on.bed, batchId, [], { manifest });
}

describe('a batch that is started again', () => {
  it('after it was cancelled in the middle uploads what is missing, and nothing twice', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'halved', 9);
    bed.simulator.fault('processing-stuck:2');
    const options = { window: 2, pageRows: 4 };
    const first = await startRows(bed, 'halved', rows, { options });
    await bed.simulator.waitFor(({ event }) => event === 'complete-accepted');
    await first.cancel();
    await expect(first.result()).rejects.toMatchObject({ code: 'Cancelled' });
    // One of the two may have been cancelled before it got so far.
    bed.simulator.clearFaults();
    bed.simulator.release();
    const half = await accountOfBatch(bed, 'halved');
    expect(half.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(half.map(({ status }) => status)).toContain('CANCELLED');
    expect(half.filter(({ attempts }) => attempts === 0).length).toBeGreaterThan(0);
    const second = await startRows(bed, 'halved', rows, { options });
    const { round, counts } = await second.result();
    expect({ round, counts }).toMatchObject({ round: 2, counts: { rows: 9, completed: 9, cancelled: 0 } });
    expect(new Set(Object.values(statuses(await accountOfBatch(bed, 'halved'))))).toEqual(
      new Set(['COMPLETED']),
    );
  });

  it('with rows added anywhere, and in another order, uploads those that are new', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'grown', 12);
    const at = (numbers: readonly number[]): BatchRow[] => numbers.flatMap((number) => rows[number] ?? []);
    const path = await writeManifest('grown', at([0, 2, 4, 6, 8, 10, 11]));
    await (await startManifest('grown', path)).result();
    const now = at([0, 1, 2, 3, 4, 5, 11, 6, 10, 9, 8, 7]);
    await writeManifest('grown', now);
    const again = await startManifest('grown', path);
    const { counts, round } = await again.result();
    expect({ round, counts }).toMatchObject({ round: 2, counts: { rows: 12, completed: 12, earlier: 7 } });
    const titles = completedTitles(bed);
    expect(rows.map(({ id }) => titles.get(`Film ${id}`))).toEqual(rows.map(() => 1));
    const lines = await accountOfBatch(bed, 'grown');
    expect(lines.map(({ id }) => id)).toEqual(at([0, 2, 4, 6, 8, 10, 11, 1, 3, 5, 9, 7]).map(({ id }) => id));
    expect([...lines].sort((a, b) => a.line - b.line).map(({ id }) => id)).toEqual(now.map(({ id }) => id));
    expect(await (await startManifest('grown', path)).result()).toMatchObject({
      round: 3,
      counts: { completed: 12, earlier: 12 },
    });
  });

  it('with another manifest is refused, and names the first rows that differ', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'changed', 4);
    const path = await writeManifest('changed', rows);
    await (await startManifest('changed', path)).result();
    const starts = bed.simulator.seen().starts;
    const [first, second, third] = rows;
    await writeManifest('changed', [{ ...first, title: 'Another' }, { ...third }, { ...second }]);
    const again = await startManifest('changed', path);
    await expect(again.result()).rejects.toMatchObject({
      code: 'InputDiffers',
      message: expect.stringContaining(
        `differ: "changed-0" (line 1: ${String(first?.source)}, "Another") differs in title; "changed-3" (line 4 of the earlier manifest: `,
      ),
    });
    expect(bed.simulator.seen().starts).toBe(starts);
    expect(statuses(await accountOfBatch(bed, 'changed'))).toMatchObject({ 'changed-0': 'COMPLETED' });
  });

  it('and was refused is what it was before: its result, its folder, and what is retried', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'stands', 3);
    const path = await writeManifest('stands', rows);
    const first = await startManifest('stands', path);
    const result = await first.result();
    const [one, ...others] = rows;
    await writeManifest('stands', [{ ...one, title: 'Another' }, ...others]);
    const refused = { code: 'InputDiffers' };
    await expect((await startManifest('stands', path)).result()).rejects.toMatchObject(refused);
    await expect((await startManifest('stands', path)).result()).rejects.toMatchObject(refused);
    const { connection } = bed;
    expect(await openBatch(connection, first.workflowId).result()).toEqual(result);
    expect(await readBatchListing(connection, first.workflowId)).toMatchObject({
      status: 'COMPLETED',
      counts: { completed: 3 },
    });
    expect(await (await retryFailedRows(connection, first.workflowId)).result()).toEqual(result);
    await writeManifest('stands', rows);
    const manifest = { source: { kind: 'path', path }, format: 'jsonl' } as const;
    const folder = { kind: 'path', path: batchFolder(bed, 'elsewhere') } as const;
    await expect(startRows(bed, 'stands', [], { manifest, folder })).rejects.toMatchObject({
      code: 'InputDiffers',
      facts: { details: { differs: 'folder' } },
    });
    const again = await startManifest('stands', path);
    expect(await again.result()).toMatchObject({ round: 2, counts: { completed: 3, earlier: 3 } });
  });

  it('and was cancelled while its manifest was read is what it was before, and one line of the list', async () => {
    const { bed } = on;
    const { connection } = bed;
    const first = await startRows(bed, 'called-off', await writeRows(bed, 'called-off', 1));
    const result = await first.result();
    const source = {
      kind: 'http',
      url: `http://127.0.0.1:${String(await freePort())}/m.jsonl`,
      label: '',
    } as const;
    const again = await startRows(bed, 'called-off', [], { manifest: { source, format: 'jsonl' } });
    await again.cancel();
    await expect(again.result()).rejects.toMatchObject({ code: 'Cancelled' });
    expect(await openBatch(connection, first.workflowId).result()).toEqual(result);
    const listing = await readBatchListing(connection, first.workflowId);
    expect(listing).toMatchObject({ status: 'COMPLETED', counts: { completed: 1 } });
    const { accountId, queuePrefix } = bed;
    const linesNow = async (): Promise<object[]> =>
      (await listBatches(connection, { accountId, queuePrefix })).filter(
        ({ batchId }) => batchId === 'called-off',
      );
    // The index lags behind.
    await until('the list shows the batch as it is', linesNow, (lines) =>
      isDeepStrictEqual(lines, [listing]),
    );
  });

  it('tells every session that a row left, when it was cancelled and when its page was lost', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'littered', 1);
    const startHeld = async (): Promise<BatchHandle> => {
      const from = bed.simulator.events().at(-1)?.seq ?? 0;
      bed.simulator.fault('hold');
      const batch = await startRows(bed, 'littered', rows, { options: { upload: { stallMs: 120_000 } } });
      await bed.simulator.waitFor(({ event, seq }) => event === 'held' && seq > from);
      return batch;
    };
    const first = await startHeld();
    await first.cancel();
    await expect(first.result()).rejects.toMatchObject({ code: 'Cancelled' });
    const second = await startHeld();
    const page = await pageIdOf(bed, second.workflowId, 0, 2);
    await bed.connection.client.workflow.getHandle(page).terminate('by hand');
    expect((await second.result()).counts).toMatchObject({ completed: 1 });
    bed.simulator.release();
    const sessions = bed.simulator.seen().sessions.filter(({ title }) => title === 'Film littered-0');
    expect(sessions).toHaveLength(3);
    const left = sessions.filter(({ status }) => status !== 'COMPLETED').map(({ uploadId }) => uploadId);
    const [line] = await accountOfBatch(bed, 'littered');
    expect(line?.orphans.map(({ uploadId }) => uploadId ?? '').sort()).toEqual(left.sort());
  });

  it('with its folder lost is refused, since only the folder knows what is uploaded', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'emptied', 2);
    await (await startRows(bed, 'emptied', rows)).result();
    const folder = batchFolder(bed, 'emptied');
    await rename(folder, `${folder}-away`);
    const manifest = { rows: [...rows, ...(await writeRows(bed, 'emptied-more', 1))] };
    const lost = await startRows(bed, 'emptied', rows, { manifest });
    await expect(lost.result()).rejects.toMatchObject({
      code: 'SourceMissing',
      message: expect.stringContaining('no longer holds its plan'),
    });
    await rm(folder, { recursive: true });
    await rename(`${folder}-away`, folder);
    const found = await startRows(bed, 'emptied', rows, { manifest });
    expect((await found.result()).counts).toMatchObject({ completed: 3, earlier: 2 });
    const titles = completedTitles(bed);
    expect(rows.map(({ id }) => titles.get(`Film ${id}`))).toEqual([1, 1]);
  });

  it('after Temporal has forgotten it finds in its folder the session that was completed', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'forgotten', 2);
    bed.simulator.fault('processing-stuck:1');
    const first = await startRows(bed, 'forgotten', rows);
    await progressWhen(first, ({ counts }) => counts.completed === 1);
    await first.cancel();
    await expect(first.result()).rejects.toMatchObject({ code: 'Cancelled' });
    bed.simulator.release();
    const { client, namespace } = bed.connection;
    for (const workflowId of [await pageIdOf(bed, first.workflowId, 0), first.workflowId]) {
      await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } });
      const gone = client.workflow.getHandle(workflowId);
      await until(`${workflowId} is deleted`, () =>
        gone.describe().then(
          () => false,
          () => true,
        ),
      );
    }
    const second = await startRows(bed, 'forgotten', rows);
    expect((await second.result()).counts).toMatchObject({ completed: 2, earlier: 2 });
    const titles = completedTitles(bed);
    expect(rows.map(({ id }) => titles.get(`Film ${id}`))).toEqual([1, 1]);
  });

  it('keeps its failed rows, and uploads them once more when it is told to', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'poisoned', 6);
    const [poison] = rows;
    await writeFile(poison?.source ?? '', '');
    const first = await startRows(bed, 'poisoned', rows);
    const { counts, account } = await first.result();
    expect(counts).toMatchObject({ rows: 6, completed: 5, failed: 1 });
    const [line] = await accountOfBatch(bed, 'poisoned');
    expect(line).toMatchObject({
      id: 'poisoned-0',
      status: 'FAILED',
      attempts: 1,
      error: { code: 'Validation' },
    });
    await writeFile(poison?.source ?? '', 'no longer empty');
    const failed = { source: { kind: 'path', path: account.failed ?? '' }, format: 'csv' } as const;
    const copy = await startRows(bed, 'only-failed', [], { manifest: failed });
    expect((await copy.result()).counts).toMatchObject({ rows: 1, completed: 1 });
    const retried = await startRows(bed, 'poisoned', rows, { retryFailed: true });
    const again = await retried.result();
    expect(again).toMatchObject({ round: 2, counts: { completed: 6, failed: 0, earlier: 5 } });
    expect(again.account.failed).toBeUndefined();
    expect((await accountOfBatch(bed, 'poisoned'))[0]).toMatchObject({
      status: 'COMPLETED',
      attempts: 2,
      round: 2,
    });
  });

  it('after its root was terminated ends the pages that still run, and uploads nothing twice', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'beheaded', 6);
    bed.simulator.fault('processing-stuck');
    const from = bed.simulator.events().at(-1)?.seq ?? 0;
    const first = await startRows(bed, 'beheaded', rows, { options: { pageRows: 6 } });
    await bed.simulator.waitFor(({ event, seq }) => event === 'complete-accepted' && seq > from);
    const page = bed.connection.client.workflow.getHandle(await pageIdOf(bed, first.workflowId, 0));
    await bed.connection.client.workflow.getHandle(first.workflowId).terminate('by hand');
    expect((await page.describe()).status.name).toBe('RUNNING');
    const second = await startRows(bed, 'beheaded', rows, { options: { pageRows: 6 } });
    await page.result();
    bed.simulator.release();
    expect((await second.result()).counts).toMatchObject({ rows: 6, completed: 6 });
    const titles = completedTitles(bed);
    expect(rows.map(({ id }) => titles.get(`Film ${id}`))).toEqual(rows.map(() => 1));
  });

  it('joins an upload of the same row that somebody else has running, and one that has completed', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'joined', 2);
    const [running, done] = rows;
    bed.simulator.fault('processing-stuck');
    const from = bed.simulator.events().length;
    const start = (row: (typeof rows)[number]) =>
      bed.start(row.source, {
        source: { kind: 'path', path: row.source },
        media: { title: `Film ${row.id}` },
        ingestKey: `joined/${row.id}`,
        options: HASTY,
      });
    if (running === undefined || done === undefined) throw new Error('There are two rows.');
    const upload = await start(running);
    await bed.simulator.waitFor(({ event, seq }) => event === 'complete-accepted' && seq > from);
    const finished = await (await start(done)).result();
    const batch = await startRows(bed, 'joined', rows);
    await progressWhen(batch, ({ counts }) => counts.completed === 1 && counts.running === 1);
    bed.simulator.release();
    const { uploadId } = await upload.result();
    expect((await batch.result()).counts).toMatchObject({ completed: 2, earlier: 2 });
    const lines = await accountOfBatch(bed, 'joined');
    expect(lines).toMatchObject([
      { uploadId, joined: true },
      { uploadId: finished.uploadId, joined: true },
    ]);
  });

  it('does not take an upload for its own that uploads something else under the same key', async () => {
    const { bed } = on;
    const [row] = await writeRows(bed, 'taken', 1);
    if (row === undefined) throw new Error('There is one row.');
    const other = { media: { title: 'Another film' }, ingestKey: `taken/${row.id}` };
    await (await bed.start(row.source, other)).result();
    const { counts } = await (await startRows(bed, 'taken', [row])).result();
    expect(counts).toMatchObject({ completed: 0, failed: 1 });
    expect((await accountOfBatch(bed, 'taken'))[0]).toMatchObject({ error: { code: 'InputDiffers' } });
  });
});
