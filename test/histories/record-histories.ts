/**
 * Records the histories of this version's uploads, which all later versions replay. `npm run histories` runs it. It
 * never overwrites an existing file.
 */
import type { UploadOptions } from '../../api/options/upload-options';
import type { UploadHandle } from '../../temporal/upload/client/open-upload';
import { MIB, useUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';
import { saveHistory } from './save-history';

interface Story {
  readonly name: string;
  readonly faults: readonly string[];
  readonly options?: UploadOptions;
  /** Pieces of 5 MiB. Default 4. */
  readonly pieces?: number;
  /** Starts the upload again once it has ended, and records that run. */
  again?: true;
  /** Called once a part is held. */
  meddle?(handle: UploadHandle, fixture: UploadFixture): Promise<void>;
}

const STORIES: readonly Story[] = [
  { name: 'completed', faults: [] },
  { name: 'retried', faults: ['put-503:2', 'put-reset:1', 'complete-lost'] },
  { name: 'failed', faults: ['processing-failed:codec not supported'] },
  { name: 'orphan', faults: ['start-lost'] },
  { name: 'cancelled', faults: ['hold:part=2'], meddle: (handle) => handle.cancel() },
  {
    name: 'continued',
    faults: ['hold:part=2'],
    options: { partBytes: 35 * MIB },
    pieces: 13,
    meddle: (handle) => handle.cancel(),
    again: true,
  },
  {
    name: 'paused',
    faults: ['hold:part=2'],
    // Each part is a group of its own, since a running group still ends.
    options: { partBytes: 35 * MIB },
    pieces: 28,
    async meddle(handle, { simulator }) {
      await handle.pause();
      simulator.release();
      await simulator.waitFor(({ event, part }) => event === 'part-stored' && part === 2);
      await until(
        'no part is being sent',
        () => handle.progress(),
        ({ partsRunning }) => partsRunning.length === 0,
      );
      await handle.resume();
    },
  },
];

const on = useUploadFixture();

it.each(STORIES)('records $name', async ({ name, faults, options, pieces = 4, meddle, again }) => {
  const { fixture } = on;
  const from = fixture.simulator.events().length;
  for (const fault of faults) fixture.simulator.fault(fault);
  const file = await fixture.writeFile(`${name}.mp4`, pieces);
  const oneByOne = { concurrency: 1, stallMs: 3_000, heartbeatMs: 2_000 };
  const request = { ingestKey: name, options: { ...oneByOne, ...options } };
  const handle = await fixture.start(file.path, request);
  if (meddle !== undefined) {
    await fixture.simulator.waitFor(({ event, seq }) => event === 'held' && seq > from);
    await meddle(handle, fixture);
  }
  await handle.result().catch(() => undefined);
  fixture.simulator.clearFaults();
  if (again === true) await (await fixture.start(file.path, request)).result();
  await saveHistory(fixture.connection, handle.workflowId, name);
}, 90_000);
