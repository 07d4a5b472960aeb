import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { resultsOfBatch, batchFolder, startRows, writeRows } from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

describe('a batch through Temporal', () => {
  it('uploads every row once, over several pages, and writes a result for each in the order of the manifest', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'plain', 12);
    const batch = await startRows(fixture, 'plain', rows);
    const result = await batch.result();
    expect(result.counts).toMatchObject({
      rows: 12,
      completed: 12,
      failed: 0,
      cancelled: 0,
      running: 0,
      waiting: 0,
    });
    const lines = await resultsOfBatch(fixture, 'plain');
    expect(lines.map(({ id, status }) => [id, status])).toEqual(rows.map(({ id }) => [id, 'COMPLETED']));
    for (const { id, source, uploadId, bytes } of lines) {
      const session = fixture.session(uploadId);
      expect(session).toMatchObject({ status: 'COMPLETED', completesAccepted: 1 });
      expect(source).toBe(join(fixture.folder, `${id}.mp4`));
      const file = await readFile(source);
      expect(bytes).toBe(file.byteLength);
    }
    expect(fixture.simulator.seen().sessions).toHaveLength(12);
    expect(await readFile(join(batchFolder(fixture, 'plain'), 'results.csv'), 'utf8')).toMatch(
      /^\ufeffline,id,source,status/,
    );
  });
});
