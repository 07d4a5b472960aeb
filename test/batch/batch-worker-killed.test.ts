import { describe, expect, it } from '@jest/globals';
import { resultsOfBatch, startRows, writeRows } from '../support/batch-fixture';
import { expectAgreement } from '../support/batch-agreement';
import { HELD, PART_BYTES, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });

describe('a batch whose only worker is killed while it sends the second part of a row', () => {
  it('continues on another worker, completes every row once, and names the session that was left', async () => {
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
    await worker.kill('SIGKILL');
    fixture.simulator.release();
    await fixture.startWorkerProcess();
    const { counts } = await batch.result();
    expect(counts).toMatchObject({ rows: rows.length, completed: rows.length, failed: 0, running: 0 });
    const lines = await resultsOfBatch(fixture, 'killed');
    const [first] = lines;
    expect(first).toMatchObject({ id: 'film', bytes: 2 * PART_BYTES, verified: true });
    expect(first?.orphans).toEqual([
      expect.objectContaining({ reason: 'an earlier run of this upload left it' }),
    ]);
    await expectAgreement(fixture, rows, lines);
  });
});
