import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SimulatorEvent } from '../../simulator/control/recorder';
import type { Simulator } from '../../simulator/simulator';
import { uploadWorkflowId } from '../../temporal/contract';
import { batchIngestKey } from '../../temporal/contract/batch-ids';
import { pageIdOf, startRows, writeRows } from '../support/batch-bed';
import { startTemporalServer } from '../support/temporal-server';
import type { TemporalServer } from '../support/temporal-server';
import { HELD, MIB, openUploadBed, PART_BYTES } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';
import { until } from '../support/until';

let server: TemporalServer;
let bed: UploadBed;
beforeAll(async () => {
  // Server 1.29 ignores priorities without the first; each partition of a queue has an order of its own.
  const dynamicConfig = [
    'matching.useNewMatcher=true',
    'matching.numTaskqueueReadPartitions=1',
    'matching.numTaskqueueWritePartitions=1',
  ];
  server = await startTemporalServer({ dynamicConfig });
  bed = await openUploadBed({ temporal: server });
  await bed.startWorker({ slots: { transfer: 1 } });
});
afterAll(async () => {
  await bed.close();
  await server.stop();
});

const LARGE_PARTS = 8;
/** Each is a group of its own, two of which are with workers or wait for one. */
const PART_MIB = 35;
const GROUPS = 2;
const upload = { ...HELD, pollDelayMs: 100, concurrency: LARGE_PARTS };
const options = { upload: { ...upload, partBytes: PART_MIB * MIB } };

/** Kinds of the steps of a workflow that are with a worker or wait for one. */
async function pendingSteps(workflowId: string): Promise<(string | null | undefined)[]> {
  const handle = bed.connection.client.workflow.getHandle(workflowId);
  const { raw } = await handle.describe().catch(() => ({ raw: { pendingActivities: [] } }));
  return (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name);
}

/** Resolves once so many such steps are pending; `otherwise` runs between looks. */
async function queued(
  workflowId: string,
  { step, count }: { readonly step: 'pinSources' | 'sendParts'; readonly count: number },
  otherwise: (pending: readonly (string | null | undefined)[]) => void = () => undefined,
): Promise<void> {
  await until(
    `${String(count)} ${step} are pending`,
    () => pendingSteps(workflowId),
    (pending) => {
      const isQueued = pending.filter((name) => name === step).length >= count;
      if (!isQueued) otherwise(pending);
      return isQueued;
    },
  );
}

function begun(simulator: Simulator): SimulatorEvent[] {
  return simulator.events().filter(({ event }) => event === 'part-begun');
}

describe('a worker with one slot for parts', () => {
  it('takes files of one part before the parts of a large file that were queued before them', async () => {
    const { simulator } = bed;
    const { path } = await bed.writeFile('large.mp4', (LARGE_PARTS * PART_MIB * MIB) / PART_BYTES);
    const large = [{ id: 'large', source: path, title: 'large' }];
    const small = (await writeRows(bed, 'small', 3)).map((row) => ({ ...row, title: 'small' }));
    simulator.fault('hold:always');
    const first = await startRows(bed, 'large', large, { options });
    const film = uploadWorkflowId(bed.accountId, batchIngestKey('large', 'large'));
    await queued(film, { step: 'sendParts', count: GROUPS });
    const second = await startRows(bed, 'small', small, { options });
    const page = await pageIdOf(bed, second.workflowId, 0);
    await queued(page, { step: 'pinSources', count: 1 });
    // They are looked at before further parts of the large file are sent, but for one that the worker may have asked for.
    await queued(page, { step: 'sendParts', count: 1 }, (pending) => {
      if (pending.includes('pinSources')) simulator.release();
    });
    const before = begun(simulator).length;
    simulator.clearFaults();
    simulator.release();
    await Promise.all([first.result(), second.result()]);
    const titles = new Map(simulator.seen().sessions.map(({ uploadId, title }) => [uploadId, title]));
    const order = begun(simulator).map(({ uploadId = '' }) => titles.get(uploadId));
    expect(order).toHaveLength(LARGE_PARTS + small.length);
    // One more part may have been with the worker already.
    const rest = order.slice(before + small.length + 1);
    expect(rest.length).toBeGreaterThan(1);
    expect([order, rest]).toEqual([order, rest.map(() => 'large')]);
  });
});
