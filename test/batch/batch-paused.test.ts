import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { PROGRESS_QUERY } from '../../temporal/contract';
import type { UploadProgress } from '../../temporal/contract';
import { progressWhen, startRows, writeRows } from '../support/batch-bed';
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
    const { client } = bed.connection;
    const ids = rows.slice(0, 1).map(({ id }) => `upload/${bed.accountId}/paused/${id}`);
    for (const id of ids) {
      let paused = false;
      while (!paused)
        ({ paused } = await client.workflow.getHandle(id).query<UploadProgress>(PROGRESS_QUERY));
    }
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
    expect(paused.pausedBecause).toMatch(/^The service lets the account in no more, .*login/);
    const { failed } = paused.counts;
    expect(failed).toBeGreaterThanOrEqual(10);
    expect(failed).toBeLessThan(40);
    bed.simulator.clearFaults();
    await batch.resume();
    expect((await batch.result()).counts).toMatchObject({ rows: 40, completed: 40 - failed, failed });
    const again = await startRows(bed, 'locked-out', rows, { options, retryFailed: true });
    expect((await again.result()).counts).toMatchObject({ rows: 40, completed: 40, failed: 0 });
  });
});
