import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { rowProgress } from '../../temporal/client/batch/row-progress';
import { progressWhen, startRows, writeRows } from '../support/batch-bed';
import { until } from '../support/until';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed();

describe('a batch that is paused', () => {
  it('begins no row, pauses the uploads that run, and goes on when it is resumed', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'paused', 9);
    bed.simulator.fault('processing-stuck:2');
    const batch = await startRows(bed, 'paused', rows, { options: { window: 2, pageRows: 3 } });
    await bed.simulator.waitFor(({ event }) => event === 'complete-accepted');
    await progressWhen(batch, ({ counts }) => counts.running === 2);
    await batch.pause();
    const row = `upload/${bed.accountId}/paused/${rows[0]?.id ?? ''}`;
    await until(
      'the row is paused',
      () => rowProgress(bed.connection, row),
      (progress) => progress?.paused === true,
    );
    bed.simulator.release();
    const still = await progressWhen(batch, ({ counts }) => counts.running === 0);
    expect(still).toMatchObject({ phase: 'paused', counts: { completed: 2, waiting: 7 } });
    expect(still.pausedBecause).toBeUndefined();
    await batch.resume();
    expect((await batch.result()).counts).toMatchObject({ completed: 9 });
  });

  it('by itself, since too many rows failed, says why, and after a resume pauses no sooner than after as many more', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'failing', 30);
    await Promise.all(rows.map(({ source }) => writeFile(source, '')));
    const options = { window: 1, pageRows: 6, maxFailures: 2 };
    const batch = await startRows(bed, 'failing', rows, { options });
    const first = await progressWhen(
      batch,
      ({ phase, counts }) => phase === 'paused' && counts.running === 0,
    );
    expect(first.pausedBecause).toMatch(/^\d+ rows have failed, and the batch was told to pause at 2\.$/);
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

  it('by itself, since the service lets the account in no more, and retries to the end once it does', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'locked-out', 40);
    bed.simulator.expireTokens();
    bed.simulator.fault('login-401:always');
    const options = { window: 4, pageRows: 20 };
    const batch = await startRows(bed, 'locked-out', rows, { options });
    const paused = await progressWhen(
      batch,
      ({ phase, counts }) => phase === 'paused' && counts.running === 0,
    );
    expect(paused.pausedBecause).toMatch(
      /^10 rows of a page failed for the same reason \(LoginRefused\).* The last one: login failed \(401\): .*resume the batch/,
    );
    const { failed } = paused.counts;
    expect(failed).toBeGreaterThanOrEqual(10);
    expect(failed).toBeLessThan(40);
    bed.simulator.clearFaults();
    await batch.resume();
    expect((await batch.result()).counts).toMatchObject({ rows: 40, completed: 40 - failed, failed });
    const again = await startRows(bed, 'locked-out', rows, { options, retryFailed: true });
    expect((await again.result()).counts).toMatchObject({ rows: 40, completed: 40, failed: 0 });
  });

  it('by itself, since one file after the other is missing, as in a wrong mount, and loses no row for it', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'elsewhere', 40);
    await Promise.all(rows.map(({ source }) => rm(source)));
    const options = { window: 4, pageRows: 20 };
    const batch = await startRows(bed, 'elsewhere', rows, { options });
    const paused = await progressWhen(
      batch,
      ({ phase, counts }) => phase === 'paused' && counts.running === 0,
    );
    expect(paused.pausedBecause).toMatch(
      /^10 rows of a page failed for the same reason \(SourceMissing\) and none was completed in between\. The last one: the source .*elsewhere-\d+\.mp4 does not exist\./,
    );
    const { failed } = paused.counts;
    expect(failed).toBeLessThan(40);
    await Promise.all(rows.map(({ id, source }) => writeFile(source, `${id} is back`)));
    await batch.resume();
    expect((await batch.result()).counts).toMatchObject({ rows: 40, completed: 40 - failed, failed });
    const again = await startRows(bed, 'elsewhere', rows, { options, retryFailed: true });
    expect((await again.result()).counts).toMatchObject({ rows: 40, completed: 40, failed: 0 });
  });
});

describe('a batch whose rows fail for the same reason', () => {
  it('is not paused where no row is left to begin: those that run are not held', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'small', 12);
    await Promise.all(rows.slice(1).map(({ source }) => rm(source)));
    bed.simulator.fault('processing-stuck:1');
    const batch = await startRows(bed, 'small', rows, { options: { window: 12, pageRows: 12 } });
    const still = await progressWhen(batch, ({ counts }) => counts.failed === 11);
    expect(still).toMatchObject({ phase: 'uploading', counts: { running: 1 } });
    await bed.simulator.waitFor(({ event, fault }) => event === 'fault' && fault === 'processing-stuck');
    bed.simulator.release();
    expect((await batch.result()).counts).toMatchObject({ rows: 12, completed: 1, failed: 11 });
  });

  it('is not paused where it was told never to be', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'never', 30);
    await Promise.all(rows.map(({ source }) => rm(source)));
    const options = { window: 2, pageRows: 15, maxSameFailures: 0 };
    const batch = await startRows(bed, 'never', rows, { options });
    expect((await batch.result()).counts).toMatchObject({ rows: 30, failed: 30 });
  });
});
