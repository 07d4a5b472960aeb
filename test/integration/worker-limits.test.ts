import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { AccountLimits } from '../../api/account/account';
import { livingWorkers } from '../../temporal/client/living-workers';
import type { UploadHandle } from '../../temporal/client/upload-handle';
import { controlQueue, hostQueue } from '../../temporal/contract/upload';
import type { WorkerSlots } from '../../temporal/worker/worker-config';
import { startRows, writeRows } from '../support/batch-fixture';
import { until } from '../support/until';
import { HELD, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
/** So few that parts without a limit are faster while other tests run as well. */
const PER_SECOND = 1;

interface Limited {
  readonly workers: number;
  readonly limits: AccountLimits;
  readonly slots?: Partial<WorkerSlots>;
  /** Sends parts through the workers of this queue prefix. */
  send(queuePrefix: string): Promise<void>;
}

/** Start times of the parts that `send` causes, ms after the first session started. */
async function beginnings({ workers, limits, slots = {}, send }: Limited): Promise<number[]> {
  const { fixture } = on;
  // Workers that were stopped still count on their queues for a while.
  const queuePrefix = `${fixture.queuePrefix}-${randomBytes(4).toString('hex')}`;
  const accounts = fixture.config.accounts.map((served) => ({ ...served, limits }));
  const change = { accounts, queuePrefix, slots, outputRoots: [fixture.folder] };
  const stops = await Promise.all(Array.from({ length: workers }, () => fixture.startWorker(change)));
  const work = {
    control: controlQueue(queuePrefix, fixture.accountId),
    queue: hostQueue(queuePrefix, fixture.accountId, fixture.config.host),
  };
  await until(
    'each worker counts the others',
    () => livingWorkers(fixture.connection, work),
    (living) => living.length === workers,
  );
  const last = fixture.simulator.events().at(-1)?.seq ?? 0;
  await send(queuePrefix);
  await Promise.all(stops.map((stop) => stop()));
  const events = fixture.simulator.events().filter(({ seq }) => seq > last);
  const from = events.find(({ event }) => event === 'started')?.at ?? Infinity;
  return events.filter(({ event }) => event === 'part-begun').map(({ at }) => at - from);
}

/** Parts that begin sooner than the limit allows. Each worker may begin one at once. */
function tooEarly(begun: readonly number[], workers = 1): number[] {
  return begun.filter((ms, before) => ms < (Math.max(0, before + 1 - workers) / PER_SECOND) * 1_000 - 1);
}

describe('the limits of an account', () => {
  it('hold for the rate of parts over all workers', async () => {
    const { fixture } = on;
    const { path } = await fixture.writeFile('limited.mp4', 3);
    const senders = new Set<string>();
    const send = async (queuePrefix: string): Promise<void> => {
      const one = (): Promise<UploadHandle> =>
        fixture.start(path, { options: { concurrency: 3, heartbeatMs: 30_000 } }, { queuePrefix });
      const uploads = await Promise.all([one(), one(), one(), one()]);
      for (const upload of uploads) {
        await upload.result();
        const { events } = await fixture.connection.client.workflow
          .getHandle(upload.workflowId)
          .fetchHistory();
        for (const { activityTaskStartedEventAttributes: started } of events ?? [])
          if (started?.identity) senders.add(started.identity);
      }
    };
    const limited = { partsPerSecond: PER_SECOND, callsPerSecond: 50 };
    // With one slot each, both workers get work.
    const both = { workers: 2, slots: { host: 1 }, send };
    const begun = await beginnings({ ...both, limits: limited });
    expect(begun).toHaveLength(12);
    expect(tooEarly(begun, 2)).toEqual([]);
    expect(senders.size).toBe(2);
    expect(tooEarly(await beginnings({ ...both, limits: {} }), 2)).not.toEqual([]);
  });

  it('hold for the parts of a batch', async () => {
    const { fixture } = on;
    const send = async (queuePrefix: string): Promise<void> => {
      const rows = await writeRows(fixture, 'limited', 6);
      const batch = await startRows(fixture, `limited-${queuePrefix}`, rows, { queuePrefix });
      expect((await batch.result()).counts).toMatchObject({ completed: 6 });
    };
    const begun = await beginnings({ workers: 1, limits: { batchPartsPerSecond: PER_SECOND }, send });
    expect(begun).toHaveLength(6);
    expect(tooEarly(begun)).toEqual([]);
    expect(tooEarly(await beginnings({ workers: 1, limits: {}, send }))).not.toEqual([]);
  });
});

describe('parallel parts', () => {
  it('are as many as the slots: two uploads of 12 parts send all 24 at once in one worker', async () => {
    const { fixture } = on;
    const stop = await fixture.startWorker({ slots: { host: 24 } });
    const { path } = await fixture.writeFile('many.mp4', 12);
    fixture.simulator.fault('hold:24:bytes=1000');
    const options = { ...HELD, concurrency: 12 };
    const uploads = await Promise.all([1, 2].map(() => fixture.start(path, { options })));
    let held = 0;
    await fixture.simulator.waitFor(({ event }) => event === 'held' && (held += 1) === 24);
    fixture.simulator.release();
    const results = await Promise.all(uploads.map((upload) => upload.result()));
    expect(results.map(({ retries }) => retries)).toEqual([0, 0]);
    await stop();
  });
});

describe('the resource tuner', () => {
  it('uploads as the fixed slots do', async () => {
    const { fixture } = on;
    const stop = await fixture.startWorker({ tuner: { targetMemory: 0.95, targetCpu: 0.95 } });
    const file = await fixture.writeFile('tuned.mp4', 3);
    const result = await (await fixture.start(file.path)).result();
    expect(result.status).toBe('COMPLETED');
    await stop();
  });
});
