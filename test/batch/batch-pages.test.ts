import { createS3 } from '../../files/s3/s3-client';
import { readPage } from '../../temporal/batch/files/page-journal';
import { batchFolder, completedTitles, progressWhen, startRows, writeRows } from '../support/batch-fixture';
import { serveFile } from '../support/range-server';
import { until } from '../support/until';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

describe('the pages of a batch', () => {
  it('free the slots that slow files do not need, so that the next page begins', async () => {
    const { fixture } = on;
    const files = await writeRows(fixture, 'slow', 10);
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const server = await serveFile(files[0]?.source ?? '', undefined, answered);
    try {
      // One slow file on each page that the batch opens first.
      const rows = files.map((row, index) =>
        index < 8 && index % 2 === 0 ? { ...row, source: server.url } : row,
      );
      const batch = await startRows(fixture, 'slow', rows, { options: { parallelUploads: 8, pageRows: 2 } });
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
    const titles = completedTitles(fixture);
    expect(files.map(({ id }) => titles.get(`Film ${id}`))).toEqual(files.map(() => 1));
  });

  it('have the sessions of their rows in the journal before complete', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'noted', 3);
    const before = fixture.simulator.seen().completesAccepted;
    fixture.simulator.fault('processing-stuck:always');
    const batch = await startRows(fixture, 'noted', rows);
    await until(
      'all rows are completing',
      () => fixture.simulator.seen().completesAccepted,
      (completes) => completes === before + rows.length,
    );
    const access = { outputRoots: [fixture.folder], roots: [], s3: createS3() };
    const folder = { kind: 'path', path: batchFolder(fixture, 'noted') } as const;
    const page = await readPage(access, { folder, page: 0 });
    const noted = page.flatMap(({ planned, session }) => (session === undefined ? [] : [planned.row.id]));
    expect(noted.sort()).toEqual(rows.map(({ id }) => id).sort());
    fixture.simulator.clearFaults();
    fixture.simulator.release();
    expect((await batch.result()).counts).toMatchObject({ completed: 3 });
  });

  it('record a row soon after it ended, while others of its page still run', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'soon', 4);
    fixture.simulator.fault('processing-stuck:1');
    const batch = await startRows(fixture, 'soon', rows, { options: { pageRows: 4 } });
    const access = { outputRoots: [fixture.folder], roots: [], s3: createS3() };
    const folder = { kind: 'path', path: batchFolder(fixture, 'soon') } as const;
    await progressWhen(batch, ({ counts }) => counts.completed === 3 && counts.running === 1);
    const recorded = await until(
      'the rows that have ended are in the journal',
      async () => (await readPage(access, { folder, page: 0 })).flatMap(({ result }) => result ?? []),
      (lines) => lines.length === 3,
    );
    expect(recorded.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
    fixture.simulator.release();
    expect((await batch.result()).counts).toMatchObject({ completed: 4 });
  });
});
