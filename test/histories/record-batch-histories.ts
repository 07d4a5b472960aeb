/** Records the histories of batches of a release, root and one page each, as `record-histories.ts` does those of uploads. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { expect, it } from '@jest/globals';
import { version } from '../../package.json';
import type { BatchHandle } from '../../temporal/client/batch/batch-handle';
import type { BatchOptions } from '../../temporal/contract/batch';
import { pageIdOf, progressWhen, startRows, writeRows } from '../support/batch-bed';
import { recordedHistory } from '../support/recorded-history';
import { HISTORIES } from '../support/saved-histories';
import { useUploadBed } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';

const ROOT = resolve(__dirname, '..', '..');
const on = useUploadBed();

interface Story {
  readonly name: string;
  readonly faults: readonly string[];
  readonly options?: BatchOptions;
  meddle?(batch: BatchHandle, bed: UploadBed): Promise<void>;
}

const STORIES: readonly Story[] = [
  { name: 'batch-completed', faults: ['put-503:2'] },
  { name: 'batch-continued', faults: [], options: { pagesPerRun: 2 } },
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
      await progressWhen(batch, ({ counts }) => counts.running === 2);
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
      await connection.client.workflow.getHandle(pagesRunning[0] ?? '').terminate('by hand');
      simulator.release();
    },
  },
];

it.each(STORIES)('records $name', async ({ name, faults, options, meddle }) => {
  const { bed } = on;
  for (const fault of faults) bed.simulator.fault(fault);
  const rows = await writeRows(bed, name, 8);
  const batch = await startRows(bed, name, rows, { options: { window: 2, pageRows: 3, ...options } });
  await meddle?.(batch, bed);
  await batch.result().catch(() => undefined);
  bed.simulator.clearFaults();
  const folder = join(HISTORIES, version);
  await mkdir(folder, { recursive: true });
  const files = [
    [`${name}.json`, batch.workflowId],
    [`${name}-page.json`, await pageIdOf(bed, batch.workflowId, 0)],
  ] as const;
  for (const [file, workflowId] of files) {
    const history: unknown = JSON.parse(await recordedHistory(bed.connection, workflowId));
    expect(JSON.stringify(history)).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_STARTED');
    // Stack traces tell where the project lay.
    const text = JSON.stringify(history, null, 1).replaceAll(`${ROOT}${sep}`, '');
    await writeFile(join(folder, file), `${text}\n`, { flag: 'wx' });
  }
}, 90_000);
