/**
 * Records the histories of a release's batches (the root and one page of each), as `record-histories.ts` does for
 * uploads.
 */
import type { BatchHandle } from '../../temporal/batch/client/open-batch';
import type { BatchOptions } from '../../temporal/batch/types';
import { pageIdOf, progressWhen, startRows, writeRows } from '../support/batch-fixture';
import { until } from '../support/until';
import { useUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';
import { saveHistory } from './save-history';

const on = useUploadFixture();

interface Story {
  readonly name: string;
  readonly faults: readonly string[];
  readonly options?: BatchOptions;
  meddle?(batch: BatchHandle, fixture: UploadFixture): Promise<void>;
}

const STORIES: readonly Story[] = [
  { name: 'batch-completed', faults: ['put-503:2'] },
  { name: 'batch-large-row', faults: [], options: { smallFileBytes: 1_003 } },
  {
    name: 'batch-cancelled',
    faults: ['processing-stuck:1'],
    async meddle(batch, { simulator }) {
      await progressWhen(batch, ({ counts }) => counts.completed >= 2);
      await batch.cancel();
      await batch.result().catch(() => undefined);
      simulator.release();
    },
  },
  {
    name: 'batch-paused',
    faults: ['processing-stuck:2'],
    async meddle(batch, { simulator }) {
      // Before that, a pause would keep their parts waiting.
      await processed(simulator, 'batch-paused', 2);
      await batch.pause();
      simulator.release();
      await progressWhen(batch, ({ counts }) => counts.running === 0);
      await batch.resume();
    },
  },
];

/** Resolves when the service processes so many files of the batch, or has done so. */
async function processed({ seen }: UploadFixture['simulator'], batchId: string, count: number): Promise<void> {
  await until(
    `${count} files are processed`,
    () => seen().sessions.filter(({ title }) => title?.includes(batchId) === true),
    (sessions) => sessions.filter(({ completesAccepted }) => completesAccepted > 0).length >= count,
  );
}

it.each(STORIES)('records $name', async ({ name, faults, options, meddle }) => {
  const { fixture } = on;
  for (const fault of faults) fixture.simulator.fault(fault);
  const rows = await writeRows(fixture, name, 8);
  const batch = await startRows(fixture, name, rows, { options: { parallelUploads: 2, pageRows: 3, ...options } });
  await meddle?.(batch, fixture);
  await batch.result().catch(() => undefined);
  fixture.simulator.clearFaults();
  await saveHistory(fixture.connection, batch.workflowId, name);
  await saveHistory(fixture.connection, await pageIdOf(fixture, batch.workflowId, 0), `${name}-page`);
}, 90_000);
