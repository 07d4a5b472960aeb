import type { BatchOptions } from '../../temporal/batch/types';
import { progressWhen, startRows, writeRows } from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
/** Whatever worker takes a page or a large row. */
beforeAll(() => Promise.all([on.fixture.startWorker(), on.fixture.startWorker()]));

/** The tenth failure of all workers pauses the batch. By then, three more rows may run, since a worker begins with four. */
const MAX_FAILED = 13;

describe('a batch whose rows all fail for the same reason', () => {
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

  it.each<[which: string, options: BatchOptions, failures: [min: number, max: number], reason: RegExp]>([
    [
      'equal failures, with fewer rows than that on each page',
      { pageRows: 4 },
      [10, MAX_FAILED],
      /^\d+ rows failed for the same reason \(StorageRefused\)/,
    ],
    [
      'equal failures, with a workflow for each row',
      { pageRows: 9, smallFileBytes: 0 },
      [10, 35],
      /^1[0-3] rows failed for the same reason \(StorageRefused\)/,
    ],
    [
      'any failures, with a workflow for each row',
      { pageRows: 9, smallFileBytes: 0, maxSameFailures: 0, maxFailures: 5 },
      [5, 35],
      /^\d+ rows have failed, and the batch pauses at 5/,
    ],
  ])('pauses at a number of %s', async (which, options, [min, max], reason) => {
    const { fixture } = on;
    const name = which.replaceAll(/\W+/g, '-');
    const rows = await writeRows(fixture, name, 36);
    fixture.simulator.fault('put-403-denied:always');
    const batch = await startRows(fixture, name, rows, { options });
    const { pausedBecause } = await progressWhen(
      batch,
      ({ phase }) => phase === 'paused' || phase === 'ended',
    );
    expect(pausedBecause).toMatch(reason);
    fixture.simulator.clearFaults();
    await batch.resume();
    const { completed, failed } = (await batch.result()).counts;
    expect(failed).toBeGreaterThanOrEqual(min);
    expect(failed).toBeLessThanOrEqual(max);
    expect(completed).toBe(36 - failed);
  });
});
