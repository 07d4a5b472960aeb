import { progressWhen, startRows, writeRows } from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
/** Whatever worker takes a page or a large row. */
beforeAll(() => Promise.all([on.fixture.startWorker(), on.fixture.startWorker()]));

/** The tenth failure of all workers pauses the batch. By then, three more rows may run, since a worker begins with four. */
const MAX_FAILED = 13;

describe('a batch whose rows all fail for the same reason', () => {
  it('pauses also if each of its pages has fewer rows than the limit', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'thirty', 30);
    fixture.simulator.fault('put-403-denied:always');
    const batch = await startRows(fixture, 'thirty', rows, { options: { pageRows: 4 } });
    const { pausedBecause } = await progressWhen(batch, ({ phase }) => phase === 'paused');
    expect(pausedBecause).toMatch(/^\d+ rows failed for the same reason \(StorageRefused\)/);
    await progressWhen(batch, ({ counts }) => counts.running === 0 && counts.failed >= 10);
    fixture.simulator.clearFaults();
    await batch.resume();
    const { completed, failed } = (await batch.result()).counts;
    expect(failed).toBeLessThanOrEqual(MAX_FAILED);
    expect(completed).toBe(30 - failed);
  });

  it('pauses with few failed rows, however many workers upload it, and after a resume again', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'closed', 900);
    fixture.simulator.fault('put-403-denied:always');
    const options = { parallelUploads: 128, pageRows: 90 };
    const batch = await startRows(fixture, 'closed', rows, { options });
    const first = await progressWhen(
      batch,
      ({ phase, counts }) => phase === 'paused' && counts.running === 0,
    );
    expect(first.pausedBecause).toMatch(/^10 rows failed for the same reason \(StorageRefused\)/);
    expect(first.counts.failed).toBeGreaterThanOrEqual(10);
    expect(first.counts.failed).toBeLessThanOrEqual(MAX_FAILED);
    await batch.resume();
    const second = await progressWhen(
      batch,
      ({ phase, counts }) =>
        phase === 'paused' && counts.running === 0 && counts.failed > first.counts.failed,
    );
    expect(second.counts.failed).toBeLessThanOrEqual(2 * MAX_FAILED);
    fixture.simulator.clearFaults();
    await batch.resume();
    // Counts of running pages may be three seconds old.
    const { completed, failed } = (await batch.result()).counts;
    expect(failed).toBeLessThanOrEqual(2 * MAX_FAILED);
    expect(completed).toBe(900 - failed);
  });

  it.each([
    ['maxSameFailures', {}, 10, /^1[0-3] rows failed for the same reason \(StorageRefused\)/],
    [
      'maxFailures',
      { maxSameFailures: 0, maxFailures: 5 },
      5,
      /^\d+ rows have failed, and the batch pauses at 5/,
    ],
  ])('pauses at %s also if each row has its own workflow', async (name, limits, limit, reason) => {
    const { fixture } = on;
    const rows = await writeRows(fixture, name, 36);
    fixture.simulator.fault('put-403-denied:always');
    const options = { ...limits, smallFileBytes: 0, pageRows: 9 };
    const batch = await startRows(fixture, name, rows, { options });
    const { pausedBecause } = await progressWhen(
      batch,
      ({ phase }) => phase === 'paused' || phase === 'ended',
    );
    expect(pausedBecause).toMatch(reason);
    fixture.simulator.clearFaults();
    await batch.resume();
    const { completed, failed } = (await batch.result()).counts;
    expect(failed).toBeGreaterThanOrEqual(limit);
    expect(failed).toBeLessThan(36);
    expect(completed).toBe(36 - failed);
  });
});
