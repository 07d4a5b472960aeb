import { appendFile, rm, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import {
  resultsOfBatch,
  completedTitles,
  LARGE_BYTES,
  progressWhen,
  startRows,
  writeRows,
} from '../support/batch-fixture';
import { PART_BYTES, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
/** All rows are in one group of each step. */
const ROWS = 40;
/** Rows whose parts are sent after all files have grown. */
const LATE = 3;
const options = { parallelUploads: ROWS, pageRows: ROWS };

describe('rows that fail inside a full group of good rows', () => {
  it('fail each for its own reason, and the other rows are completed', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'mixed', ROWS, LARGE_BYTES);
    await rm(rows[3]?.source ?? '');
    await writeFile(rows[11]?.source ?? '', '');
    const faults = ['start-403:1', 'start-400:1', 'put-404-NoSuchUpload:1', 'complete-400:1'];
    for (const fault of [...faults, 'processing-failed:1']) fixture.simulator.fault(fault);
    const { counts } = await (await startRows(fixture, 'mixed', rows, { options })).result();
    const lines = await resultsOfBatch(fixture, 'mixed');
    const codes = lines.flatMap(({ status, error }) => (status === 'FAILED' ? [error?.code ?? 'none'] : []));
    expect(codes.sort()).toEqual([
      'ProcessingFailed',
      'RequestRefused',
      'RequestRefused',
      'RequestRefused',
      'SessionGone',
      'SourceMissing',
      'Validation',
    ]);
    const messages = lines.flatMap(({ error }) => error?.message ?? []);
    expect(new Set(messages).size).toBe(codes.length);
    expect(counts).toMatchObject({ completed: ROWS - codes.length, failed: codes.length });
    const titles = completedTitles(fixture);
    for (const { id, status } of lines)
      expect([id, titles.get(`Film ${id}`) ?? 0]).toEqual([id, status === 'COMPLETED' ? 1 : 0]);
  });

  it('fail if storage keeps refusing a part, and the error says which', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'refused', ROWS, LARGE_BYTES);
    // The only row with a second part.
    await writeFile(rows[17]?.source ?? '', 'x'.repeat(PART_BYTES + 1));
    fixture.simulator.fault('put-403-denied:always:part=2');
    const batch = await startRows(fixture, 'refused', rows, {
      options: { ...options, upload: { partBytes: PART_BYTES } },
    });
    const { counts } = await batch.result();
    fixture.simulator.clearFaults();
    const failed = (await resultsOfBatch(fixture, 'refused')).filter(({ status }) => status === 'FAILED');
    expect(failed).toMatchObject([
      { id: 'refused-17', error: { code: 'StorageRefused', message: expect.stringContaining('part 2') } },
    ]);
    expect(counts).toMatchObject({ completed: ROWS - 1, failed: 1 });
  });

  it.each([
    ['grew', (path: string) => appendFile(path, 'more'), 'SourceChanged'],
    ['vanished', (path: string) => rm(path), 'SourceMissing'],
  ])(
    'fail if their files %s after they were pinned, and no mixed file is completed',
    async (how, change, code) => {
      const { fixture } = on;
      const rows = await writeRows(fixture, how, ROWS);
      const pinned = new Map(
        await Promise.all(rows.map(async ({ id, source }) => [id, (await stat(source)).size] as const)),
      );
      fixture.simulator.fault(`start-503:${String(LATE)}`);
      fixture.simulator.fault('hold:1');
      const from = fixture.simulator.events().at(-1)?.seq ?? 0;
      const batch = await startRows(fixture, how, rows, {
        options: { ...options, upload: { stallMs: 60_000, startPauseMs: 3_000 } },
      });
      await fixture.simulator.waitFor(({ event, seq }) => event === 'held' && seq > from);
      const waiting = await progressWhen(batch, ({ counts }) => counts.completed > 0);
      expect(waiting.counts.failed).toBe(0);
      await Promise.all(rows.map(({ source }) => change(source)));
      fixture.simulator.release();
      const { counts } = await batch.result();
      const lines = await resultsOfBatch(fixture, how);
      const failed = lines.filter(({ status }) => status === 'FAILED');
      expect(failed.length).toBeGreaterThanOrEqual(LATE);
      expect(new Set(failed.map(({ error }) => error?.code))).toEqual(new Set([code]));
      for (const { id, error } of failed) expect(error?.message).toContain(`${id}.mp4`);
      expect(counts).toMatchObject({ completed: ROWS - failed.length, failed: failed.length });
      const sent = lines.filter(({ status, bytes }) => status === 'COMPLETED' && bytes !== undefined);
      for (const { id, bytes } of sent) expect([id, bytes]).toEqual([id, pinned.get(id)]);
    },
  );
});
