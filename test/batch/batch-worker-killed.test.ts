import { describe, expect, it } from '@jest/globals';
import { openBatch } from '../../temporal/batch/client/open-batch';
import { batchFolder, progressWhen, resultsOfBatch, startRows, writeRows } from '../support/batch-fixture';
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
    await expectAgreement(fixture, rows, lines, { lostWorker: true });
  });
});

describe('a batch in its first run whose worker is killed while the service processes its rows', () => {
  const late = useUploadFixture({ worker: false, simulator: { processingMs: 3_000 } });

  it('counts none of them as completed by an earlier run', async () => {
    const { fixture } = late;
    const worker = await fixture.startWorkerProcess();
    const rows = await writeRows(fixture, 'processed', 3);
    const batch = await startRows(fixture, 'processed', rows, {
      options: { upload: { heartbeatMs: 4_000 } },
    });
    let accepted = 0;
    await fixture.simulator.waitFor(({ event }) => event === 'complete-accepted' && (accepted += 1) === 3);
    await worker.kill('SIGKILL');
    await fixture.startWorkerProcess();
    expect((await batch.result()).counts).toMatchObject({ completed: 3, earlier: 0 });
    expect(fixture.simulator.seen()).toMatchObject({ starts: 3, completesAccepted: 3 });
  });
});

describe('a batch whose worker has just died', () => {
  const rest = useUploadFixture({ worker: false });

  it('still shows every row that had ended, while another machine answers for the batch', async () => {
    const { fixture } = rest;
    const { connection, config } = fixture;
    const { host } = config;
    await fixture.startWorker({ host: 'another-host' });
    const worker = await fixture.startWorkerProcess();
    const rows = await writeRows(fixture, 'shown', 6);
    fixture.simulator.fault('hold:2');
    const batch = await startRows(fixture, 'shown', rows, {
      folder: { kind: 'path', path: batchFolder(fixture, 'shown'), host },
      options: { pageRows: 6, sourceHost: host, upload: { ...HELD, heartbeatMs: 8_000 } },
    });
    const counts = { completed: 4, running: 2, waiting: 0 };
    await progressWhen(batch, (now) => now.counts.completed === 4 && now.counts.running === 2);
    await worker.kill('SIGKILL');
    expect(await openBatch(connection, batch.workflowId).progress()).toMatchObject({
      phase: 'uploading',
      counts,
    });
    fixture.simulator.release();
    await fixture.startWorkerProcess();
    expect((await batch.result()).counts).toMatchObject({ completed: 6, failed: 0 });
  });
});
