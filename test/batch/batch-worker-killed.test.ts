import { describe, expect, it } from '@jest/globals';
import { resultsOfBatch, pageIdOf, startRows, writeRows } from '../support/batch-fixture';
import { expectAgreement } from '../support/batch-agreement';
import { untilOutcomesKept } from '../support/kept-outcomes';
import { HELD, PART_BYTES, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });

describe('a batch whose only worker is killed while it sends the second part of a row', () => {
  it('continues on another worker with the missing part, and uploads every row once', async () => {
    const { fixture } = on;
    const worker = await fixture.startWorkerProcess();
    const { path } = await fixture.writeFile('film.mp4', 2);
    const rows = [
      { id: 'film', source: path, title: 'Film film' },
      ...(await writeRows(fixture, 'beside', 3)),
    ];
    fixture.simulator.fault('hold:part=2,bytes=1000000');
    const batch = await startRows(fixture, 'killed', rows, {
      options: {
        pageRows: 1,
        upload: { ...HELD, partBytes: PART_BYTES, concurrency: 2, heartbeatMs: 8_000 },
      },
    });
    await fixture.simulator.waitFor(({ event }) => event === 'held');
    await untilOutcomesKept(fixture.connection, await pageIdOf(fixture, batch.workflowId, 0), 1);
    await worker.kill('SIGKILL');
    fixture.simulator.release();
    await fixture.startWorkerProcess();
    const { counts } = await batch.result();
    expect(counts).toMatchObject({ rows: rows.length, completed: rows.length, failed: 0, running: 0 });
    const lines = await resultsOfBatch(fixture, 'killed');
    const [first] = lines;
    expect(first).toMatchObject({ id: 'film', bytes: 2 * PART_BYTES, verified: true, retries: 1 });
    expect(fixture.session(first?.uploadId).parts[0]).toMatchObject({ partNumber: 1, puts: 1 });
    await expectAgreement(fixture, rows, lines);
  });
});
