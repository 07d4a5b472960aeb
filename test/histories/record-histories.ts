/**
 * Records the histories of a release, which all later ones replay. Once per release, with its version in package.json:
 *
 *   npx jest --config test/histories/record.config.js
 *
 * What was recorded once is never recorded anew: the files are written only where they do not exist.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { expect, it } from '@jest/globals';
import { version } from '../../package.json';
import type { UploadOptions } from '../../api/upload/request/upload-request';
import type { UploadHandle } from '../../temporal/client/upload-handle';
import { recordedHistory } from '../support/recorded-history';
import { HISTORIES } from '../support/saved-histories';
import { MIB, useUploadBed } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';

const ROOT = resolve(__dirname, '..', '..');

interface Story {
  readonly name: string;
  readonly faults: readonly string[];
  readonly options?: UploadOptions;
  /** Of 5 MiB. Default 4. */
  readonly pieces?: number;
  /** Once a part is held. */
  meddle?(handle: UploadHandle, bed: UploadBed): Promise<void>;
}

const STORIES: readonly Story[] = [
  { name: 'completed', faults: [] },
  { name: 'retried', faults: ['put-503:2', 'put-reset:1', 'complete-lost'] },
  { name: 'failed', faults: ['processing-failed:codec not supported'] },
  { name: 'orphan', faults: ['start-lost'] },
  { name: 'restarted', faults: ['put-404-NoSuchUpload'], options: { restartOnExpiry: true } },
  { name: 'cancelled', faults: ['hold:part=2'], meddle: (handle) => handle.cancel() },
  {
    name: 'paused',
    faults: ['hold:part=2'],
    // Each part is a group of its own: a group under way ends.
    options: { partBytes: 35 * MIB },
    pieces: 28,
    async meddle(handle, { simulator }) {
      await handle.pause();
      simulator.release();
      await simulator.waitFor(({ event, part }) => event === 'part-stored' && part === 2);
      let { partsRunning } = await handle.progress();
      while (partsRunning.length > 0) ({ partsRunning } = await handle.progress());
      await handle.resume();
    },
  },
];

const on = useUploadBed();

it.each(STORIES)('records $name', async ({ name, faults, options, pieces = 4, meddle }) => {
  const { bed } = on;
  const from = bed.simulator.events().length;
  for (const fault of faults) bed.simulator.fault(fault);
  const file = await bed.writeFile(`${name}.mp4`, pieces);
  const patient = { concurrency: 1, stallMs: 3_000, heartbeatMs: 2_000 };
  const handle = await bed.start(file.path, { options: { ...patient, ...options } });
  if (meddle !== undefined) {
    await bed.simulator.waitFor(({ event, seq }) => event === 'held' && seq > from);
    await meddle(handle, bed);
  }
  await handle.result().catch(() => undefined);
  bed.simulator.clearFaults();
  const history: unknown = JSON.parse(await recordedHistory(bed.connection, handle.workflowId));
  const folder = join(HISTORIES, version);
  await mkdir(folder, { recursive: true });
  // Stack traces tell where the project lay.
  const text = JSON.stringify(history, null, 1).replaceAll(`${ROOT}${sep}`, '');
  await writeFile(join(folder, `${name}.json`), `${text}\n`, { flag: 'wx' });
  expect(JSON.stringify(history)).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_STARTED');
}, 90_000);
