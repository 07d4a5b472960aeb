import { describe, expect, it } from '@jest/globals';
import { createS3 } from '../../files/s3/s3-client';
import { journalFile, writeLines } from '../../temporal/batch/files/batch-files';
import type { JournalEntry } from '../../temporal/batch/files/page-journal';
import { batchFolder, completedTitles, resultsOfBatch, startRows, writeRows } from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

/** Writes the journal that lost attempts left: the rows that each of them named before their start. */
async function leaveAttempts(batchId: string, attempts: readonly (readonly string[])[]): Promise<void> {
  const { fixture } = on;
  const access = { outputRoots: [fixture.folder], roots: [], s3: createS3() };
  const folder = { kind: 'path', path: batchFolder(fixture, batchId) } as const;
  for (const [index, starting] of attempts.entries()) {
    const segment = { page: 0, round: 1, losses: 0, turn: 1, attempt: index + 1 };
    // Before those of this run.
    const file = journalFile(folder, { ...segment, round: 0 }, 0);
    await writeLines(access, file, [{ starting }] satisfies JournalEntry[]);
  }
}

describe('a row whose worker was lost each time it was uploaded', () => {
  it.each([
    ['two losses', 'suspect', 0],
    ['three further ones, in which it ran alone', 'unlucky', 3],
  ])('runs alone after %s, and is completed if it was not to blame', async (_when, name, alone) => {
    const { fixture } = on;
    const rows = await writeRows(fixture, name, 4);
    const ids = rows.map(({ id }) => id);
    await leaveAttempts(name, [ids, ids, ...Array<string[]>(alone).fill(ids.slice(0, 1))]);
    const batch = await startRows(fixture, name, rows);
    expect((await batch.result()).counts).toMatchObject({ rows: 4, completed: 4 });
    expect(rows.map(({ id }) => completedTitles(fixture).get(`Film ${id}`))).toEqual([1, 1, 1, 1]);
  });

  it('fails after it was lost four times alone, and no other row does', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'poison', 3);
    const ids = rows.map(({ id }) => id);
    await leaveAttempts('poison', [ids, ids, ...Array<string[]>(4).fill(ids.slice(1, 2))]);
    const batch = await startRows(fixture, 'poison', rows);
    expect((await batch.result()).counts).toMatchObject({ rows: 3, completed: 2, failed: 1 });
    const lines = await resultsOfBatch(fixture, 'poison');
    expect(lines.map(({ status }) => status)).toEqual(['COMPLETED', 'FAILED', 'COMPLETED']);
    expect(lines[1]?.error).toMatchObject({
      code: 'Internal',
      message: expect.stringContaining('lost 6 times'),
    });
    expect(completedTitles(fixture).get('Film poison-1')).toBeUndefined();
  });
});
