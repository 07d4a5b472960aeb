import { rm, writeFile } from 'node:fs/promises';
import { progressWhen, startRows, untilPaused, writeRows } from '../support/batch-fixture';
import { processingHeld } from '../support/held';
import { seenEvents } from '../support/seen-events';
import { HELD, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

describe('a batch that is paused', () => {
  it('begins no row, lets its running rows end, and continues when it is resumed', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'paused', 9);
    fixture.simulator.fault('hold:2');
    const options = { parallelUploads: 2, pageRows: 9, upload: HELD };
    const batch = await startRows(fixture, 'paused', rows, { options });
    await seenEvents(fixture.simulator, { event: 'held', count: 2 });
    const { sessions } = fixture.simulator.seen();
    const begun = rows.filter(({ title }) => sessions.some((session) => session.title === title));
    expect(begun).toHaveLength(2);
    await batch.pause();
    await untilPaused(fixture, batch);
    fixture.simulator.release();
    const still = await progressWhen(batch, ({ counts }) => counts.running === 0);
    expect(still).toMatchObject({ phase: 'paused', counts: { completed: 2, waiting: 7 } });
    expect(still.pausedBecause).toBeUndefined();
    await batch.resume();
    expect((await batch.result()).counts).toMatchObject({ completed: 9 });
  });

  it('pauses itself when too many rows failed, says why, and after a resume waits for as many failures again', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'failing', 30);
    await Promise.all(rows.map(({ source }) => writeFile(source, '')));
    const options = { parallelUploads: 1, pageRows: 6, maxFailures: 2 };
    const batch = await startRows(fixture, 'failing', rows, { options });
    const first = await progressWhen(
      batch,
      ({ phase, counts }) => phase === 'paused' && counts.running === 0,
    );
    expect(first.pausedBecause).toMatch(/^\d+ rows have failed, and the batch pauses at 2\.$/);
    await batch.resume();
    const second = await progressWhen(
      batch,
      ({ phase, counts }) =>
        phase === 'paused' && counts.running === 0 && counts.failed > first.counts.failed,
    );
    const { failed } = second.counts;
    expect(failed).toBeGreaterThanOrEqual(first.counts.failed + 2);
    expect(failed).toBeLessThan(30);
    await Promise.all(rows.map(({ source }) => writeFile(source, 'no longer empty')));
    await batch.resume();
    expect((await batch.result()).counts).toMatchObject({ rows: 30, completed: 30 - failed, failed });
  });
});

it('a batch whose rows fail for the same reason is not paused if no row is left to begin: the running ones continue', async () => {
  const { fixture } = on;
  const rows = await writeRows(fixture, 'small', 11);
  await Promise.all(rows.slice(1).map(({ source }) => rm(source)));
  const processed = processingHeld(fixture.simulator, 1);
  const batch = await startRows(fixture, 'small', rows, { options: { parallelUploads: 12, pageRows: 12 } });
  const still = await progressWhen(batch, ({ counts }) => counts.failed === 10);
  expect(still).toMatchObject({ phase: 'uploading', counts: { running: 1 } });
  await processed;
  fixture.simulator.release();
  expect((await batch.result()).counts).toMatchObject({ rows: 11, completed: 1, failed: 10 });
});
