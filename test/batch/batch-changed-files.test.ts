import { rename, unlink, writeFile } from 'node:fs/promises';
import { completedTitles, LARGE_BYTES, resultsOfBatch, startRows, writeRows } from '../support/batch-fixture';
import type { BatchRow } from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

async function uploaded(name: string, bytes?: number): Promise<readonly BatchRow[]> {
  const rows = await writeRows(on.fixture, name, 3, bytes);
  const { counts } = await (await startRows(on.fixture, name, rows)).result();
  expect(counts).toMatchObject({ rows: 3, completed: 3 });
  return rows;
}

describe('a file that has changed since its row was completed', () => {
  it('is an error of the row until the file is back, while a file that is gone stays completed', async () => {
    const { fixture } = on;
    const rows = await uploaded('edited');
    const [before] = await resultsOfBatch(fixture, 'edited');
    const { starts } = fixture.simulator.seen();
    const [edited = '', gone = ''] = rows.map(({ source }) => source);
    await rename(edited, `${edited}.kept`);
    await writeFile(edited, 'another film');
    await unlink(gone);
    for (const retryFailed of [false, true]) {
      const again = await startRows(fixture, 'edited', rows, { retryFailed });
      expect((await again.result()).counts).toMatchObject({ completed: 2, earlier: 2, failed: 1 });
    }
    const [line] = await resultsOfBatch(fixture, 'edited');
    expect(line).toMatchObject({
      status: 'FAILED',
      mediaId: before?.mediaId,
      error: {
        code: 'SourceChanged',
        message: expect.stringMatching(
          /^The file has changed since it was uploaded: then \d+ bytes, .*, now 12 bytes/,
        ),
      },
    });
    await rename(`${edited}.kept`, edited);
    const { counts } = await (await startRows(fixture, 'edited', rows)).result();
    expect(counts).toMatchObject({ completed: 3, earlier: 3, failed: 0 });
    const [restored] = await resultsOfBatch(fixture, 'edited');
    expect(restored).toEqual({ ...before, round: 3, endedAt: line?.endedAt });
    expect(restored).toMatchObject({ status: 'COMPLETED' });
    expect(fixture.simulator.seen().starts).toBe(starts);
  });

  it.each([
    ['in its page', 'replaced', undefined],
    ['in its own workflow', 'replaced-large', LARGE_BYTES],
  ])('is uploaded once more %s with uploadChanged', async (_where, name, bytes) => {
    const { fixture } = on;
    const rows = await uploaded(name, bytes);
    const [before] = await resultsOfBatch(fixture, name);
    await writeFile(rows[0]?.source ?? '', Buffer.alloc((bytes ?? 1_000) + 5, 'x'));
    await (await startRows(fixture, name, rows)).result();
    for (const earlier of [2, 3]) {
      const again = await startRows(fixture, name, rows, { options: { uploadChanged: true } });
      expect((await again.result()).counts).toMatchObject({ completed: 3, earlier, failed: 0 });
    }
    const [line] = await resultsOfBatch(fixture, name);
    expect(line).toMatchObject({ replaces: before?.mediaId, bytes: (bytes ?? 1_000) + 5, attempts: 1 });
    expect(line?.mediaId).not.toBe(before?.mediaId);
    const titles = completedTitles(fixture);
    expect(rows.map(({ id }) => titles.get(`Film ${id}`))).toEqual([2, 1, 1]);
  });
});
