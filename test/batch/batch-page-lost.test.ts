import { describe, expect, it } from '@jest/globals';
import { PAGE_REPORT_SIGNAL } from '../../temporal/batch/types';
import type { PageReport } from '../../temporal/batch/types';
import { NO_ROWS } from '../../temporal/batch/counts';
import {
  completedTitles,
  pageIdOf,
  progressWhen,
  resultsOfBatch,
  startRows,
  writeRows,
} from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const on = useUploadFixture();

describe('a page that somebody terminates by hand', () => {
  it('is started again: nothing is lost and nothing is uploaded twice', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'lost', 10);
    fixture.simulator.fault('processing-stuck:1');
    const batch = await startRows(fixture, 'lost', rows, { options: { parallelUploads: 4, pageRows: 5 } });
    // A page reports its rows before it ends: skip the page that has nothing left to do.
    const { pagesRunning } = await progressWhen(
      batch,
      ({ counts, pagesRunning: open }) => counts.completed === 9 && open.length === 1,
    );
    const [page] = pagesRunning;
    await fixture.connection.client.workflow.getHandle(page ?? '').terminate('by hand');
    fixture.simulator.release();
    expect((await batch.result()).counts).toMatchObject({ rows: 10, completed: 10, failed: 0 });
    expect(await resultsOfBatch(fixture, 'lost')).toHaveLength(10);
    // The running upload was cancelled with its page, after its complete: the batch waits for its session and makes no
    // new one.
    const titles = completedTitles(fixture);
    expect(rows.map(({ id }) => titles.get(`Film ${id}`))).toEqual(rows.map(() => 1));
  });

  it('does not change the counts of the page that replaced it, even if its last report comes late', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'late', 3);
    fixture.simulator.fault('processing-stuck:always');
    const batch = await startRows(fixture, 'late', rows, { options: { maxFailures: 2 } });
    await progressWhen(batch, ({ counts, pagesRunning }) => counts.rows === 3 && pagesRunning.length === 1);
    const { client } = fixture.connection;
    const page = client.workflow.getHandle(await pageIdOf(fixture, batch.workflowId, 0));
    const { runId } = await page.describe();
    await page.terminate('by hand');
    await until('the page is started again', async () => (await page.describe()).runId !== runId);
    const counts = { ...NO_ROWS, rows: 3, failed: 3 };
    const late: PageReport = { page: 0, losses: 0, resumes: 0, counts, failures: 3 };
    await client.workflow.getHandle(batch.workflowId).signal(PAGE_REPORT_SIGNAL, late);
    const { phase } = await batch.progress();
    fixture.simulator.clearFaults();
    fixture.simulator.release();
    expect((await batch.result()).counts).toMatchObject({ completed: 3, failed: 0 });
    expect(phase).toBe('uploading');
  });

  it('is given up after several times: its rows fail with the reason, the others are uploaded', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'doomed', 24);
    fixture.simulator.fault('processing-stuck:always');
    const batch = await startRows(fixture, 'doomed', rows, {
      options: { parallelUploads: 6, pageRows: 3 },
    });
    await progressWhen(batch, ({ pagesRunning }) => pagesRunning.length >= 2);
    const { client } = fixture.connection;
    const page = client.workflow.getHandle(await pageIdOf(fixture, batch.workflowId, 0));
    const ended = new Set<string>();
    for (const run of ['first', 'second', 'third']) {
      const { runId } = await until(
        `a ${run} run of the page`,
        () => page.describe(),
        ({ status, runId: id }) => status.name === 'RUNNING' && !ended.has(id),
      );
      ended.add(runId);
      await page.terminate('by hand');
    }
    fixture.simulator.clearFaults();
    fixture.simulator.release();
    expect((await batch.result()).counts).toMatchObject({ rows: 24, completed: 21, failed: 3 });
    const lines = await resultsOfBatch(fixture, 'doomed');
    expect(lines[0]).toMatchObject({
      status: 'FAILED',
      error: {
        message: expect.stringContaining('was lost 3 times'),
        hint: expect.stringContaining('Retry the failed rows of the batch'),
      },
    });
    const again = await startRows(fixture, 'doomed', rows, {
      retryFailed: true,
      options: { parallelUploads: 6, pageRows: 3 },
    });
    expect((await again.result()).counts).toMatchObject({ rows: 24, completed: 24 });
  });
});
