import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SimulatorEvent } from '../../simulator/control/recorder';
import type { Simulator } from '../../simulator/simulator';
import { uploadWorkflowId } from '../../temporal/contract/upload';
import { batchIngestKey } from '../../temporal/contract/batch-ids';
import { LARGE_BYTES, pageIdOf, startRows, writeRows } from '../support/batch-fixture';
import { startTemporalServer } from '../support/temporal-server';
import type { TemporalServer } from '../support/temporal-server';
import { HELD, MIB, openUploadFixture, PART_BYTES } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

let server: TemporalServer;
let fixture: UploadFixture;
beforeAll(async () => {
  // Server 1.29 ignores priorities without the first setting. Each partition of a queue has an order of its own.
  const dynamicConfig = [
    'matching.useNewMatcher=true',
    'matching.numTaskqueueReadPartitions=1',
    'matching.numTaskqueueWritePartitions=1',
  ];
  server = await startTemporalServer({ dynamicConfig });
  fixture = await openUploadFixture({ temporal: server });
  await fixture.startWorker({ slots: { transfer: 1 } });
});
afterAll(async () => {
  await fixture.close();
  await server.stop();
});

const LARGE_PARTS = 8;
/** Each part is a group of its own. */
const PART_MIB = 35;
const upload = { ...HELD, pollDelayMs: 100, concurrency: LARGE_PARTS };
const options = { upload: { ...upload, partBytes: PART_MIB * MIB } };

/** Kinds of the steps of a workflow that are at a worker or wait for one. */
async function pendingSteps(workflowId: string): Promise<(string | null | undefined)[]> {
  const handle = fixture.connection.client.workflow.getHandle(workflowId);
  const { raw } = await handle.describe().catch(() => ({ raw: { pendingActivities: [] } }));
  return (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name);
}

/** Resolves once `count` such steps are pending. `otherwise` runs between checks. */
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
  it('takes files with one part before the queued parts of a large file', async () => {
    const { simulator } = fixture;
    const { path } = await fixture.writeFile('large.mp4', (LARGE_PARTS * PART_MIB * MIB) / PART_BYTES);
    const large = [{ id: 'large', source: path, title: 'large' }];
    const small = (await writeRows(fixture, 'small', 3, LARGE_BYTES)).map((row) => ({
      ...row,
      title: 'small',
    }));
    simulator.fault('hold:always');
    const first = await startRows(fixture, 'large', large, { options });
    const film = uploadWorkflowId(fixture.accountId, batchIngestKey('large', 'large'));
    await queued(film, { step: 'sendParts', count: LARGE_PARTS });
    const second = await startRows(fixture, 'small', small, { options });
    const page = await pageIdOf(fixture, second.workflowId, 0);
    await queued(page, { step: 'pinSources', count: 1 });
    // Small files are checked before further parts of the large file are sent, except for one that the worker may
    // already have.
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
    // The worker may already have had one more part.
    const rest = order.slice(before + small.length + 1);
    expect(rest.length).toBeGreaterThan(1);
    expect([order, rest]).toEqual([order, rest.map(() => 'large')]);
  });
});
