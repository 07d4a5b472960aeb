import { describe, expect, it } from '@jest/globals';
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

  it('pauses the batch after several times, and nothing is lost', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'doomed', 12);
    fixture.simulator.fault('processing-stuck:always');
    const options = { parallelUploads: 6, pageRows: 3 };
    const batch = await startRows(fixture, 'doomed', rows, { options });
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
    const { pausedBecause } = await progressWhen(batch, ({ phase }) => phase === 'paused');
    expect(pausedBecause).toMatch(/page-0 was lost 3 times: .*Resume the batch/);
    fixture.simulator.clearFaults();
    fixture.simulator.release();
    await batch.resume();
    expect((await batch.result()).counts).toMatchObject({ rows: 12, completed: 12 });
    const titles = completedTitles(fixture);
    expect(rows.map(({ id }) => titles.get(`Film ${id}`))).toEqual(rows.map(() => 1));
  });
});
