import { createS3 } from '../../files/s3/s3-client';
import { readPage } from '../../temporal/batch/files/page-journal';
import type { PageRow } from '../../temporal/batch/files/page-journal';
import { batchFolder, expectOnce, progressWhen, startRows, writeRows } from '../support/batch-fixture';
import { processingHeld } from '../support/held';
import { serveFile } from '../support/range-server';
import { until } from '../support/until';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

function firstPage(batchId: string): Promise<PageRow[]> {
  const { fixture } = on;
  const access = { outputRoots: [fixture.folder], roots: [], s3: createS3() };
  return readPage(access, { folder: { kind: 'path', path: batchFolder(fixture, batchId) }, page: 0 });
}

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
    expectOnce(fixture, files);
  });

  it('have the sessions of their rows in the journal before complete', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'noted', 3);
    const completing = processingHeld(fixture.simulator, 3);
    const batch = await startRows(fixture, 'noted', rows);
    await completing;
    const page = await firstPage('noted');
    const noted = page.flatMap(({ planned, session }) => (session === undefined ? [] : [planned.row.id]));
    expect(noted.sort()).toEqual(rows.map(({ id }) => id).sort());
    fixture.simulator.release();
    expect((await batch.result()).counts).toMatchObject({ completed: 3 });
  });

  it('record a row soon after it ended, while others of its page still run', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'soon', 4);
    fixture.simulator.fault('processing-stuck:1');
    const batch = await startRows(fixture, 'soon', rows, { options: { pageRows: 4 } });
    await progressWhen(batch, ({ counts }) => counts.completed === 3 && counts.running === 1);
    const recorded = await until(
      'the rows that have ended are in the journal',
      async () => (await firstPage('soon')).flatMap(({ result }) => result ?? []),
      (lines) => lines.length === 3,
    );
    expect(recorded.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
    fixture.simulator.release();
    expect((await batch.result()).counts).toMatchObject({ completed: 4 });
  });
});
