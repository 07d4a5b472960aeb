import { expectAgreement } from '../support/batch-agreement';
import { batchFolder, resultsOfBatch, startRows, writeRows } from '../support/batch-fixture';
import { seenEvents } from '../support/seen-events';
import { filesIn } from '../support/stored-texts';
import { until } from '../support/until';
import { PART_BYTES, useUploadFixture } from '../support/upload-fixture';

const KILLS = 3;

describe.each([
  ['continues the session of its row if parts can get fresh URLs', true],
  ['names every session that a killed worker left if they can get none', false],
])('a page whose worker is killed three times', (what, additionalUrls) => {
  const on = useUploadFixture({ worker: false, additionalUrls });

  it(`completes every row once, and ${what}`, async () => {
    const { fixture } = on;
    const { simulator } = fixture;
    const { path } = await fixture.writeFile('film.mp4', 2);
    const rows = [
      { id: 'film', source: path, title: 'Film film' },
      ...(await writeRows(fixture, 'beside', 9)),
    ];
    const upload = { partBytes: PART_BYTES, concurrency: 2, heartbeatMs: 4_000, stallMs: 3_600_000 };
    let worker = await fixture.startWorkerProcess();
    simulator.fault('hold:1:part=2');
    const batch = await startRows(fixture, 'thrice', rows, { options: { pageRows: 10, upload } });
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await seenEvents(simulator, { event: 'held', count: kill });
      const { uploadId = 'none' } =
        simulator.seen().sessions.findLast(({ title }) => title === 'Film film') ?? {};
      await until(
        'the journal has the session',
        () => filesIn(batchFolder(fixture, 'thrice')),
        (files) => files.some(([, text]) => text.includes(uploadId)),
      );
      await worker.kill('SIGKILL');
      simulator.release();
      if (kill < KILLS) simulator.fault('hold:1:part=2');
      worker = await fixture.startWorkerProcess();
    }
    expect((await batch.result()).counts).toMatchObject({ rows: 10, completed: 10, failed: 0 });
    const lines = await resultsOfBatch(fixture, 'thrice');
    const [film] = lines;
    expect(film).toMatchObject({ id: 'film', bytes: 2 * PART_BYTES, verified: true });
    const left = simulator
      .seen()
      .sessions.filter(({ title, status }) => title === 'Film film' && status !== 'COMPLETED');
    expect(left).toHaveLength(additionalUrls ? 0 : KILLS);
    expect(film?.orphans.map(({ uploadId }) => uploadId ?? '').sort()).toEqual(
      left.map(({ uploadId }) => uploadId).sort(),
    );
    await expectAgreement(fixture, rows, lines, { lostWorker: true });
  });
});
