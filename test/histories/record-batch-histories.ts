/**
 * Records the histories of a release's batches (the root and one page of each), as `record-histories.ts` does for
 * uploads.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { expect, it } from '@jest/globals';
import { version } from '../../package.json';
import type { BatchHandle } from '../../temporal/batch/client/open-batch';
import type { BatchOptions } from '../../temporal/batch/types';
import { pageIdOf, progressWhen, startRows, writeRows } from '../support/batch-fixture';
import { recordedHistory } from '../support/recorded-history';
import { HISTORIES } from '../support/saved-histories';
import { until } from '../support/until';
import { useUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

const ROOT = resolve(__dirname, '..', '..');
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
  {
    name: 'batch-page-lost',
    faults: ['processing-stuck:2'],
    async meddle(batch, { simulator, connection }) {
      const { pagesRunning } = await progressWhen(batch, ({ counts }) => counts.running > 0);
      // A file that is processed only after the release would wait forever.
      await processed(simulator, 'batch-page-lost', 2);
      await connection.client.workflow.getHandle(pagesRunning[0] ?? '').terminate('by hand');
      simulator.release();
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
  const folder = join(HISTORIES, version);
  await mkdir(folder, { recursive: true });
  const files = [
    [`${name}.json`, batch.workflowId],
    [`${name}-page.json`, await pageIdOf(fixture, batch.workflowId, 0)],
  ] as const;
  for (const [file, workflowId] of files) {
    const history: unknown = JSON.parse(await recordedHistory(fixture.connection, workflowId));
    expect(JSON.stringify(history)).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_STARTED');
    // Stack traces contain the path of the project.
    const text = JSON.stringify(history, null, 1).replaceAll(`${ROOT}${sep}`, '');
    await writeFile(join(folder, file), `${text}\n`, { flag: 'wx' });
  }
}, 90_000);
