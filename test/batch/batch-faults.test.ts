import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../api/json';
import { expectAgreement } from '../support/batch-agreement';
import { progressWhen, resultsOfBatch, startRows, writeRows } from '../support/batch-fixture';
import { seenEvents } from '../support/seen-events';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
const ROWS = 24;
const options = { parallelUploads: 8, pageRows: 6 };

describe('a batch under faults', () => {
  it('counts the same in workflow, results, simulator and storage, despite faults, a poison row, a cancel and retries', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'rough', ROWS);
    const poison = rows[5];
    if (poison === undefined) throw new Error('There are more rows.');
    await writeFile(poison.source, '');
    for (const fault of [
      'put-503:1',
      'put-500:1',
      'put-reset:1',
      'start-503:2',
      'complete-lost:1',
      'start-lost:1',
    ]) {
      fixture.simulator.fault(fault);
    }
    const manifest: readonly JsonObject[] = rows;
    // One row never ends, so that there is something to cancel, however late the cancel comes.
    fixture.simulator.fault('processing-stuck:1');
    const first = await startRows(fixture, 'rough', manifest, { options });
    await progressWhen(first, ({ counts }) => counts.completed >= 6);
    await first.cancel();
    await expect(first.result()).rejects.toMatchObject({ code: 'Cancelled' });
    fixture.simulator.release();
    const cut = await resultsOfBatch(fixture, 'rough');
    expect(cut).toHaveLength(ROWS);

    for (const fault of ['put-503:1', 'put-500:1', 'complete-503:1', 'session-503:2'])
      fixture.simulator.fault(fault);
    const second = await startRows(fixture, 'rough', manifest, { options });
    const { counts } = await second.result();
    expect(counts).toMatchObject({
      rows: ROWS,
      completed: ROWS - 1,
      failed: 1,
      cancelled: 0,
      running: 0,
      waiting: 0,
    });
    const lines = await resultsOfBatch(fixture, 'rough');
    expect(lines.filter(({ status }) => status === 'FAILED').map(({ id }) => id)).toEqual([poison.id]);
    const bytes = lines.reduce((sum, line) => sum + (line.bytes ?? 0), 0);
    expect(counts.bytes).toBe(bytes);
    expect((await second.progress()).counts).toEqual(counts);

    await writeFile(poison.source, 'healed');
    const third = await startRows(fixture, 'rough', manifest, { options, retryFailed: true });
    expect((await third.result()).counts).toMatchObject({ completed: ROWS, failed: 0, earlier: ROWS - 1 });
    const all = await resultsOfBatch(fixture, 'rough');
    const cancelledSessions = cut.filter(
      ({ status, uploadId }) => status === 'CANCELLED' && uploadId !== undefined,
    );
    expect(all.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    // The row whose start was lost may be one of them, since it left that session as well.
    for (const { uploadId, orphans } of cancelledSessions)
      expect(orphans.map((orphan) => orphan.uploadId)).toContain(uploadId);
    await expectAgreement(fixture, rows, all);
  });

  it('does not lose a processed row whose poll meets an expired token twice', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'expired', 1);
    const { simulator } = fixture;
    const afterSeq = simulator.events().at(-1)?.seq ?? 0;
    simulator.fault('processing-stuck:1');
    const batch = await startRows(fixture, 'expired', rows, { options: { upload: { pollDelayMs: 100 } } });
    await seenEvents(simulator, { event: 'held', count: 1, afterSeq });
    simulator.fault('token-expired-once:2:operation=session');
    await seenEvents(simulator, { event: 'fault', count: 3, afterSeq });
    simulator.release();
    expect((await batch.result()).counts).toMatchObject({ completed: 1, failed: 0 });
  });
});
