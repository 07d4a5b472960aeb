import { describe, expect, it } from '@jest/globals';
import { PAGE_REPORT_SIGNAL } from '../../temporal/contract/batch';
import type { PageReport } from '../../temporal/contract/batch';
import { NO_ROWS } from '../../temporal/contract/batch-counts';
import {
  accountOfBatch,
  completedTitles,
  pageIdOf,
  progressWhen,
  startRows,
  writeRows,
} from '../support/batch-bed';
import { useUploadBed } from '../support/upload-bed';
import { until } from '../support/until';

const on = useUploadBed();

describe('a page that is terminated by hand', () => {
  it('is started again: nothing is lost, nothing is uploaded twice', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'lost', 10);
    bed.simulator.fault('processing-stuck:1');
    const batch = await startRows(bed, 'lost', rows, { options: { window: 4, pageRows: 5 } });
    // A page tells of its rows before it ends: the one that has nothing left to do is not meant.
    const { pagesRunning } = await progressWhen(
      batch,
      ({ counts, pagesRunning: open }) => counts.completed === 9 && open.length === 1,
    );
    const [page] = pagesRunning;
    await bed.connection.client.workflow.getHandle(page ?? '').terminate('by hand');
    bed.simulator.release();
    expect((await batch.result()).counts).toMatchObject({ rows: 10, completed: 10, failed: 0 });
    expect(await accountOfBatch(bed, 'lost')).toHaveLength(10);
    // The upload that ran was cancelled with its page, after its complete: its session is waited for, not made again.
    const titles = completedTitles(bed);
    expect(rows.map(({ id }) => titles.get(`Film ${id}`))).toEqual(rows.map(() => 1));
  });

  it('and whose last report comes late does not change the counts of the page that runs now', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'late', 3);
    bed.simulator.fault('processing-stuck:always');
    const batch = await startRows(bed, 'late', rows, { options: { maxFailures: 2 } });
    await progressWhen(batch, ({ counts, pagesRunning }) => counts.rows === 3 && pagesRunning.length === 1);
    const { client } = bed.connection;
    const page = client.workflow.getHandle(await pageIdOf(bed, batch.workflowId, 0));
    const { runId } = await page.describe();
    await page.terminate('by hand');
    await until('the page is started again', async () => (await page.describe()).runId !== runId);
    const counts = { ...NO_ROWS, rows: 3, failed: 3 };
    const late: PageReport = { page: 0, losses: 0, allBegun: true, counts, failures: 3 };
    await client.workflow.getHandle(batch.workflowId).signal(PAGE_REPORT_SIGNAL, late);
    const { phase } = await batch.progress();
    bed.simulator.clearFaults();
    bed.simulator.release();
    expect((await batch.result()).counts).toMatchObject({ completed: 3, failed: 0 });
    expect(phase).toBe('uploading');
  });

  it('again and again is given up: its rows have failed with the reason, the others are uploaded', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'doomed', 24);
    bed.simulator.fault('processing-stuck:always');
    const batch = await startRows(bed, 'doomed', rows, {
      options: { window: 6, pageRows: 3, pagesPerRun: 6 },
    });
    await progressWhen(batch, ({ pagesRunning }) => pagesRunning.length >= 2);
    const { client } = bed.connection;
    const page = client.workflow.getHandle(await pageIdOf(bed, batch.workflowId, 0));
    const seen = new Set<string>();
    while (seen.size < 3) {
      const { status, runId } = await page.describe();
      if (status.name !== 'RUNNING' || seen.has(runId)) continue;
      seen.add(runId);
      await page.terminate('by hand');
    }
    bed.simulator.clearFaults();
    bed.simulator.release();
    expect((await batch.result()).counts).toMatchObject({ rows: 24, completed: 21, failed: 3 });
    // What was given up does not keep the root from handing over to a next run.
    const { raw, runId } = await client.workflow.getHandle(batch.workflowId).describe();
    expect(raw.workflowExecutionInfo?.firstRunId).not.toBe(runId);
    const lines = await accountOfBatch(bed, 'doomed');
    expect(lines[0]).toMatchObject({
      status: 'FAILED',
      error: {
        message: expect.stringContaining('was lost 3 times'),
        hint: expect.stringContaining('retry-failed'),
      },
    });
    const again = await startRows(bed, 'doomed', rows, {
      retryFailed: true,
      options: { window: 6, pageRows: 3 },
    });
    expect((await again.result()).counts).toMatchObject({ rows: 24, completed: 24 });
  });
});
