import { describe, expect, it } from '@jest/globals';
import {
  resultsOfBatch,
  completedTitles,
  progressWhen,
  startRows,
  statuses,
  writeRows,
} from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

describe('a batch whose root workflow continues as new', () => {
  it('keeps its pages running meanwhile, waits for them, and uploads each row once', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'long', 24);
    fixture.simulator.fault('processing-stuck:1');
    const options = { parallelUploads: 4, pageRows: 3, pagesPerRun: 2 };
    const batch = await startRows(fixture, 'long', rows, { options });
    // Pages report their rows before they end.
    const slow = await progressWhen(
      batch,
      ({ counts, pagesDone }) => counts.completed === 23 && pagesDone === 7,
    );
    expect(slow).toMatchObject({ counts: { running: 1 }, pagesRunning: [expect.any(String)] });
    fixture.simulator.release();
    const { counts, round } = await batch.result();
    expect({ counts, round }).toMatchObject({ round: 1, counts: { rows: 24, completed: 24, earlier: 0 } });
    expect((await resultsOfBatch(fixture, 'long')).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    const titles = completedTitles(fixture);
    expect(rows.map(({ id }) => titles.get(`Film ${id}`))).toEqual(rows.map(() => 1));
    const { raw, memo } = await fixture.connection.client.workflow.getHandle(batch.workflowId).describe();
    expect(raw.workflowExecutionInfo?.firstRunId).not.toBe(raw.workflowExecutionInfo?.execution?.runId);
    expect(memo).toMatchObject({ batchId: 'long', counts: { completed: 24 } });
  });

  it('cancels pages that an earlier run started, and writes a result for each of their rows', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'stopped', 12);
    fixture.simulator.fault('processing-stuck:2');
    const options = { parallelUploads: 4, pageRows: 3, pagesPerRun: 1 };
    const batch = await startRows(fixture, 'stopped', rows, { options });
    await progressWhen(batch, ({ counts }) => counts.completed === 10);
    await batch.cancel();
    await expect(batch.result()).rejects.toMatchObject({ code: 'Cancelled' });
    fixture.simulator.release();
    const lines = await resultsOfBatch(fixture, 'stopped');
    const ended = Object.values(statuses(lines));
    expect(ended.filter((status) => status === 'COMPLETED')).toHaveLength(10);
    expect(ended.filter((status) => status === 'CANCELLED')).toHaveLength(2);
    const cut = lines.filter(({ status }) => status === 'CANCELLED');
    expect(cut).toEqual(
      cut.map(() => expect.objectContaining({ uploadId: expect.any(String), attempts: 1 })),
    );
  });
});
