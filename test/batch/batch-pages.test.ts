import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { accountOfBatch, completedTitles, progressWhen, startRows, writeRows } from '../support/batch-bed';
import { serveFile } from '../support/range-server';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed();

describe('the pages of a batch', () => {
  it('whose files are slow give back what they do not need, and the next page begins', async () => {
    const { bed } = on;
    const files = await writeRows(bed, 'slow', 10);
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const server = await serveFile(files[0]?.source ?? '', undefined, answered);
    try {
      // One slow file on each page that the window opens at first.
      const rows = files.map((row, index) =>
        index < 8 && index % 2 === 0 ? { ...row, source: server.url } : row,
      );
      const batch = await startRows(bed, 'slow', rows, { options: { window: 8, pageRows: 2 } });
      const { pagesRunning } = await progressWhen(
        batch,
        ({ counts, pagesDone }) => counts.completed === 6 && pagesDone === 1,
      );
      expect(pagesRunning).toHaveLength(4);
      answer();
      expect((await batch.result()).counts).toMatchObject({ rows: 10, completed: 10 });
    } finally {
      answer();
      await server.close();
    }
    const titles = completedTitles(bed);
    expect(files.map(({ id }) => titles.get(`Film ${id}`))).toEqual(files.map(() => 1));
  });

  it('write down what became of every row, also where one file does not take them all', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'many', 101);
    // Rows that end soon.
    await Promise.all(rows.map(({ source }) => writeFile(source, '')));
    const batch = await startRows(bed, 'many', rows, {
      options: { window: 50, pageRows: rows.length, maxSameFailures: 0 },
    });
    expect((await batch.result()).counts).toMatchObject({ rows: 101, failed: 101, cancelled: 0 });
    const lines = await accountOfBatch(bed, 'many');
    expect(lines.map(({ id, status, attempts, error }) => [id, status, attempts, error?.code])).toEqual(
      rows.map(({ id }) => [id, 'FAILED', 1, 'Validation']),
    );
  });
});
