import { describe, expect, it } from '@jest/globals';
import {
  accountOfBatch,
  completedTitles,
  progressWhen,
  startRows,
  statuses,
  writeRows,
} from '../support/batch-bed';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed();

describe('a batch whose root continues as new', () => {
  it('keeps pages running over the change, waits for them, and uploads each row once', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'long', 24);
    bed.simulator.fault('processing-stuck:1');
    const options = { window: 4, pageRows: 3, pagesPerRun: 2 };
    const batch = await startRows(bed, 'long', rows, { options });
    // Pages tell of their rows before they end.
    const slow = await progressWhen(
      batch,
      ({ counts, pagesDone }) => counts.completed === 23 && pagesDone === 7,
    );
    expect(slow).toMatchObject({ counts: { running: 1 }, pagesRunning: [expect.any(String)] });
    bed.simulator.release();
    const { counts, round } = await batch.result();
    expect({ counts, round }).toMatchObject({ round: 1, counts: { rows: 24, completed: 24, earlier: 0 } });
    expect((await accountOfBatch(bed, 'long')).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    const titles = completedTitles(bed);
    expect(rows.map(({ id }) => titles.get(`Film ${id}`))).toEqual(rows.map(() => 1));
    const { raw, memo } = await bed.connection.client.workflow.getHandle(batch.workflowId).describe();
    expect(raw.workflowExecutionInfo?.firstRunId).not.toBe(raw.workflowExecutionInfo?.execution?.runId);
    expect(memo).toMatchObject({ batchId: 'long', counts: { completed: 24 } });
  });

  it('cancels pages that an earlier run started, and accounts for their rows', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'stopped', 12);
    bed.simulator.fault('processing-stuck:2');
    const options = { window: 4, pageRows: 3, pagesPerRun: 1 };
    const batch = await startRows(bed, 'stopped', rows, { options });
    await progressWhen(batch, ({ counts }) => counts.completed === 10);
    await batch.cancel();
    await expect(batch.result()).rejects.toMatchObject({ code: 'Cancelled' });
    bed.simulator.release();
    const lines = await accountOfBatch(bed, 'stopped');
    const ended = Object.values(statuses(lines));
    expect(ended.filter((status) => status === 'COMPLETED')).toHaveLength(10);
    expect(ended.filter((status) => status === 'CANCELLED')).toHaveLength(2);
    const cut = lines.filter(({ status }) => status === 'CANCELLED');
    expect(cut).toEqual(
      cut.map(() => expect.objectContaining({ uploadId: expect.any(String), attempts: 1 })),
    );
  });
});
