import { appendFile, rm, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { accountOfBatch, completedTitles, progressWhen, startRows, writeRows } from '../support/batch-bed';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed();
/** All of them are in one group of each step. */
const ROWS = 40;
/** Rows whose parts are sent after all files have grown. */
const LATE = 3;
const options = { window: ROWS, pageRows: ROWS };

describe('rows that fail inside full groups of good ones', () => {
  it('fail alone, each in its own way: the others are completed', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'mixed', ROWS);
    await rm(rows[3]?.source ?? '');
    await writeFile(rows[11]?.source ?? '', '');
    for (const fault of ['start-403:1', 'put-404-NoSuchUpload:1', 'complete-400:1', 'processing-failed:1'])
      bed.simulator.fault(fault);
    const { counts } = await (await startRows(bed, 'mixed', rows, { options })).result();
    const lines = await accountOfBatch(bed, 'mixed');
    const codes = lines.flatMap(({ status, error }) => (status === 'FAILED' ? [error?.code ?? 'none'] : []));
    expect(codes.sort()).toEqual([
      'ProcessingFailed',
      'RequestRefused',
      'RequestRefused',
      'SessionGone',
      'SourceMissing',
      'Validation',
    ]);
    expect(counts).toMatchObject({ completed: ROWS - codes.length, failed: codes.length });
    const titles = completedTitles(bed);
    for (const { id, status } of lines)
      expect([id, titles.get(`Film ${id}`) ?? 0]).toEqual([id, status === 'COMPLETED' ? 1 : 0]);
  });

  it('because their files grew after they were pinned fail with that reason, and no mixed file is completed', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'growing', ROWS);
    const pinned = new Map(
      await Promise.all(rows.map(async ({ id, source }) => [id, (await stat(source)).size] as const)),
    );
    bed.simulator.fault(`start-503:${String(LATE)}`);
    bed.simulator.fault('hold:1');
    const from = bed.simulator.events().at(-1)?.seq ?? 0;
    const batch = await startRows(bed, 'growing', rows, {
      options: { ...options, upload: { stallMs: 60_000, startPauseMs: 3_000 } },
    });
    await bed.simulator.waitFor(({ event, seq }) => event === 'held' && seq > from);
    const waiting = await progressWhen(batch, ({ counts }) => counts.completed > 0);
    expect(waiting.counts.failed).toBe(0);
    await Promise.all(rows.map(({ source }) => appendFile(source, 'more')));
    bed.simulator.release();
    const { counts } = await batch.result();
    const lines = await accountOfBatch(bed, 'growing');
    const failed = lines.filter(({ status }) => status === 'FAILED');
    expect(failed.length).toBeGreaterThanOrEqual(LATE);
    expect(new Set(failed.map(({ error }) => error?.code))).toEqual(new Set(['SourceChanged']));
    expect(counts).toMatchObject({ completed: ROWS - failed.length, failed: failed.length });
    const grown = lines.filter(({ status, bytes }) => status === 'COMPLETED' && bytes !== undefined);
    for (const { id, bytes } of grown) expect([id, bytes]).toEqual([id, pinned.get(id)]);
  });
});
