import { appendFile, rm, stat, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { resultsOfBatch, completedTitles, LARGE_BYTES, startRows, writeRows } from '../support/batch-fixture';
import { seenEvents } from '../support/seen-events';
import { HELD, useUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
/** Parts that the worker sends at once. */
const SLOTS = 2;
beforeAll(() => on.fixture.startWorker({ slots: { parts: SLOTS } }));
const ROWS = 40;
/** A batch begins with so many rows. */
const FIRST_ROWS = 4;
const options = { parallelUploads: ROWS, pageRows: ROWS };

describe('rows that fail among good rows', () => {
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

  it.each([
    ['grew', (path: string) => appendFile(path, 'more'), 'SourceChanged'],
    ['vanished', (path: string) => rm(path), 'SourceMissing'],
  ])(
    'fail if their files %s after they were pinned, and no mixed file is completed',
    async (how, change, code) => {
      const { fixture } = on;
      const { simulator } = fixture;
      const rows = await writeRows(fixture, how, FIRST_ROWS, LARGE_BYTES);
      const pinned = new Map(
        await Promise.all(rows.map(async ({ id, source }) => [id, (await stat(source)).size] as const)),
      );
      const afterSeq = simulator.events().at(-1)?.seq ?? 0;
      simulator.fault('hold:always');
      const batch = await startRows(fixture, how, rows, { options: { ...options, upload: HELD } });
      // A file is pinned before its start. While parts hold all slots, no other file is read.
      await seenEvents(simulator, { event: 'started', count: FIRST_ROWS, afterSeq });
      await seenEvents(simulator, { event: 'held', count: SLOTS, afterSeq });
      const held = heldTitles(fixture, afterSeq);
      const isHeld = (id: string): boolean => held.has(`Film ${id}`);
      const notRead = rows.find(({ id }) => !isHeld(id));
      const changed = rows.filter((row) => isHeld(row.id) || row === notRead);
      await Promise.all(changed.map(({ source }) => change(source)));
      simulator.clearFaults();
      simulator.release();
      const { counts } = await batch.result();
      const lines = await resultsOfBatch(fixture, how);
      const failed = lines.filter(({ status }) => status === 'FAILED');
      const failedIds = failed.map(({ id }) => id);
      const changedIds = changed.map(({ id }) => id);
      // A file that was being read may still be sent whole, as it was pinned.
      expect(failedIds).toEqual(expect.arrayContaining(changedIds.filter((id) => !isHeld(id))));
      expect(changedIds).toEqual(expect.arrayContaining(failedIds));
      expect(new Set(failed.map(({ error }) => error?.code))).toEqual(new Set([code]));
      for (const { id, error } of failed) expect(error?.message).toContain(`${id}.mp4`);
      expect(counts).toMatchObject({ completed: FIRST_ROWS - failed.length, failed: failed.length });
      const sent = lines.filter(({ status }) => status === 'COMPLETED');
      expect(sent.map(({ id, bytes }) => [id, bytes])).toEqual(sent.map(({ id }) => [id, pinned.get(id)]));
    },
  );

  it('fail if their small files grow after they were pinned and before they are sent with their start', async () => {
    const { fixture } = on;
    const { simulator } = fixture;
    const rows = await writeRows(fixture, 'small', FIRST_ROWS);
    const afterSeq = simulator.events().at(-1)?.seq ?? 0;
    simulator.fault('start-503:always');
    const upload = { startPauseMs: 100 };
    const batch = await startRows(fixture, 'small', rows, { options: { ...options, upload } });
    await seenEvents(simulator, { event: 'fault', count: FIRST_ROWS, afterSeq });
    const changed = rows.filter((_row, index) => index % 2 === 0);
    await Promise.all(changed.map(({ source }) => appendFile(source, 'more')));
    simulator.clearFaults();
    const { counts } = await batch.result();
    expect(counts).toMatchObject({ completed: FIRST_ROWS - changed.length, failed: changed.length });
    const lines = await resultsOfBatch(fixture, 'small');
    const failed = lines.filter(({ status }) => status === 'FAILED');
    expect(failed.map(({ id }) => id)).toEqual(changed.map(({ id }) => id));
    expect(new Set(failed.map(({ error }) => error?.code))).toEqual(new Set(['SourceChanged']));
  });
});

/** Titles of the files whose parts are held. */
function heldTitles({ simulator }: UploadFixture, afterSeq: number): Set<string | null> {
  const events = simulator.events().filter(({ event, seq }) => event === 'held' && seq > afterSeq);
  const uploads = new Set(events.map(({ uploadId }) => uploadId));
  const sessions = simulator.seen().sessions.filter(({ uploadId }) => uploads.has(uploadId));
  return new Set(sessions.map(({ title }) => title));
}
