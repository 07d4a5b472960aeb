import { appendFile, rm, writeFile } from 'node:fs/promises';
import { resultsOfBatch, completedTitles, LARGE_BYTES, startRows, writeRows } from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
const ROWS = 40;
/** A batch begins with so many rows. */
const FIRST_ROWS = 4;
const options = { parallelUploads: ROWS, pageRows: ROWS };

describe('rows that fail among good rows', () => {
  it('fail each for its own reason, and the other rows are completed', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'mixed', ROWS, LARGE_BYTES);
    await rm(rows[3]?.source ?? '');
    await writeFile(rows[11]?.source ?? '', '');
    const faults = ['start-403:1', 'start-400:1', 'put-404-NoSuchUpload:1', 'complete-400:1'];
    for (const fault of [...faults, 'processing-failed:1']) fixture.simulator.fault(fault);
    const { counts } = await (await startRows(fixture, 'mixed', rows, { options })).result();
    const lines = await resultsOfBatch(fixture, 'mixed');
    const codes = lines.flatMap(({ status, error }) => (status === 'FAILED' ? [error?.code ?? 'none'] : []));
    const refused = ['RequestRefused', 'RequestRefused', 'RequestRefused'];
    const others = ['ProcessingFailed', 'SessionGone', 'SourceMissing', 'Validation'];
    expect(codes.sort()).toEqual([...refused, ...others].sort());
    expect(new Set(lines.flatMap(({ error }) => error?.message ?? [])).size).toBe(codes.length);
    expect(counts).toMatchObject({ completed: ROWS - codes.length, failed: codes.length });
    const titles = completedTitles(fixture);
    for (const { id, status } of lines)
      expect([id, titles.get(`Film ${id}`) ?? 0]).toEqual([id, status === 'COMPLETED' ? 1 : 0]);
  });

  it.each([
    ['of small files that grow', 1_000, (path: string) => appendFile(path, 'more'), 'SourceChanged'],
    ['of large files that grow', LARGE_BYTES, (path: string) => appendFile(path, 'more'), 'SourceChanged'],
    ['of large files that vanish', LARGE_BYTES, (path: string) => rm(path), 'SourceMissing'],
  ])(
    '%s after they were pinned and before they are sent fail, and no other does',
    async (which, bytes, change, code) => {
      const { simulator } = on.fixture;
      const name = which.replaceAll(' ', '-');
      const rows = await writeRows(on.fixture, name, FIRST_ROWS, bytes);
      const afterSeq = simulator.events().at(-1)?.seq ?? 0;
      // A file is pinned before its start.
      simulator.fault('start-503:always');
      const batch = await startRows(on.fixture, name, rows, { options });
      const refused = new Set<string | undefined>();
      await simulator.waitFor(({ event, seq, title }) => {
        if (event === 'start-failed' && seq > afterSeq) refused.add(title);
        return refused.size === FIRST_ROWS;
      });
      const changed = rows.filter((_row, index) => index % 2 === 0);
      await Promise.all(changed.map(({ source }) => change(source)));
      simulator.clearFaults();
      const { counts } = await batch.result();
      expect(counts).toMatchObject({ completed: FIRST_ROWS - changed.length, failed: changed.length });
      const lines = await resultsOfBatch(on.fixture, name);
      const failed = lines.filter(({ status }) => status === 'FAILED');
      expect(failed.map(({ id, error }) => [id, error?.code])).toEqual(changed.map(({ id }) => [id, code]));
      for (const { id, error } of failed) expect(error?.message).toContain(`${id}.mp4`);
    },
  );
});
