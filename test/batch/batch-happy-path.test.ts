import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { accountOfBatch, batchFolder, startRows, writeRows } from '../support/batch-bed';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed();

describe('a batch through Temporal', () => {
  it('uploads every row once, over several pages, and accounts for each in the order of the manifest', async () => {
    const { bed } = on;
    const rows = await writeRows(bed, 'plain', 12);
    const batch = await startRows(bed, 'plain', rows);
    const result = await batch.result();
    expect(result.counts).toMatchObject({
      rows: 12,
      completed: 12,
      failed: 0,
      cancelled: 0,
      running: 0,
      waiting: 0,
    });
    const lines = await accountOfBatch(bed, 'plain');
    expect(lines.map(({ id, status }) => [id, status])).toEqual(rows.map(({ id }) => [id, 'COMPLETED']));
    for (const { id, source, uploadId, bytes } of lines) {
      const session = bed.session(uploadId);
      expect(session).toMatchObject({ status: 'COMPLETED', completesAccepted: 1 });
      expect(source).toBe(join(bed.folder, `${id}.mp4`));
      const file = await readFile(source);
      expect(bytes).toBe(file.byteLength);
    }
    expect(bed.simulator.seen().sessions).toHaveLength(12);
    expect(await readFile(join(batchFolder(bed, 'plain'), 'account.csv'), 'utf8')).toMatch(
      /^\ufeffline,id,source,status/,
    );
  });
});
