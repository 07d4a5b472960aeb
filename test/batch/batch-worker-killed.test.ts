import { describe, expect, it } from '@jest/globals';
import { accountOfBatch, pageIdOf, startRows, writeRows } from '../support/batch-bed';
import { expectAgreement } from '../support/batch-agreement';
import { untilOutcomesKept } from '../support/kept-outcomes';
import { HELD, PART_BYTES, useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });

describe('a batch whose only worker is killed once, while it sends the second part of a row', () => {
  it('goes on with another worker from the part that is missing, and has every row once', async () => {
    const { bed } = on;
    const worker = await bed.startWorkerProcess();
    const { path } = await bed.writeFile('film.mp4', 2);
    const rows = [{ id: 'film', source: path, title: 'Film film' }, ...(await writeRows(bed, 'beside', 3))];
    bed.simulator.fault('hold:part=2,bytes=1000000');
    const batch = await startRows(bed, 'killed', rows, {
      options: {
        pageRows: 1,
        upload: { ...HELD, partBytes: PART_BYTES, concurrency: 2, heartbeatMs: 8_000 },
      },
    });
    await bed.simulator.waitFor(({ event }) => event === 'held');
    await untilOutcomesKept(bed.connection, await pageIdOf(bed, batch.workflowId, 0), 1);
    await worker.kill('SIGKILL');
    bed.simulator.release();
    await bed.startWorkerProcess();
    const { counts } = await batch.result();
    expect(counts).toMatchObject({ rows: rows.length, completed: rows.length, failed: 0, running: 0 });
    const lines = await accountOfBatch(bed, 'killed');
    const [first] = lines;
    expect(first).toMatchObject({ id: 'film', bytes: 2 * PART_BYTES, verified: true, retries: 1 });
    expect(bed.session(first?.uploadId).parts[0]).toMatchObject({ partNumber: 1, puts: 1 });
    await expectAgreement(bed, rows, lines);
  });
});
