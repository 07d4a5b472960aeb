import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { AccountLimits } from '../../api/account/account';
import { livingWorkers } from '../../temporal/client/living-workers';
import type { UploadHandle } from '../../temporal/client/upload-handle';
import { controlQueue, hostQueue } from '../../temporal/contract';
import type { WorkerSlots } from '../../temporal/worker/worker-config';
import { startRows, writeRows } from '../support/batch-bed';
import { until } from '../support/until';
import { HELD, useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });
const PER_SECOND = 4;

interface Limited {
  readonly workers: number;
  readonly limits: AccountLimits;
  readonly slots?: Partial<WorkerSlots>;
  /** Sends parts through the workers of this queue prefix. */
  send(queuePrefix: string): Promise<void>;
}

/** When parts began that `send` makes workers send, ms after the first session was started. */
async function beginnings({ workers, limits, slots = {}, send }: Limited): Promise<number[]> {
  const { bed } = on;
  // Workers that were stopped still count on their queues for a while.
  const queuePrefix = `${bed.queuePrefix}-${randomBytes(4).toString('hex')}`;
  const accounts = bed.config.accounts.map((served) => ({ ...served, limits }));
  const change = { accounts, queuePrefix, slots, outputRoots: [bed.folder] };
  const stops = await Promise.all(Array.from({ length: workers }, () => bed.startWorker(change)));
  const work = {
    control: controlQueue(queuePrefix, bed.accountId),
    queue: hostQueue(queuePrefix, bed.accountId, bed.config.host),
  };
  await until(
    'each worker counts the others',
    () => livingWorkers(bed.connection, work),
    (living) => living.length === workers,
  );
  const last = bed.simulator.events().at(-1)?.seq ?? 0;
  await send(queuePrefix);
  await Promise.all(stops.map((stop) => stop()));
  const events = bed.simulator.events().filter(({ seq }) => seq > last);
  const from = events.find(({ event }) => event === 'started')?.at ?? Infinity;
  return events.filter(({ event }) => event === 'part-begun').map(({ at }) => at - from);
}

/** Those that the limit does not let begin so soon: each worker begins one at once. */
function tooEarly(begun: readonly number[], workers = 1): number[] {
  return begun.filter((ms, before) => ms < (Math.max(0, before + 1 - workers) / PER_SECOND) * 1_000 - 1);
}

describe('limits of an account', () => {
  it('let parts begin as often as it says, over all workers', async () => {
    const { bed } = on;
    const { path } = await bed.writeFile('limited.mp4', 3);
    const senders = new Set<string>();
    const send = async (queuePrefix: string): Promise<void> => {
      const one = (): Promise<UploadHandle> =>
        bed.start(path, { options: { concurrency: 3, heartbeatMs: 30_000 } }, { queuePrefix });
      const uploads = await Promise.all([one(), one(), one(), one()]);
      for (const upload of uploads) {
        await upload.result();
        const { events } = await bed.connection.client.workflow.getHandle(upload.workflowId).fetchHistory();
        for (const { activityTaskStartedEventAttributes: started } of events ?? [])
          if (started?.identity) senders.add(started.identity);
      }
    };
    const limited = { partsPerSecond: PER_SECOND, callsPerSecond: 50 };
    // With one slot each of them leaves work to the other.
    const both = { workers: 2, slots: { host: 1 }, send };
    const begun = await beginnings({ ...both, limits: limited });
    expect(begun).toHaveLength(12);
    expect(tooEarly(begun, 2)).toEqual([]);
    expect(senders.size).toBe(2);
    expect(tooEarly(await beginnings({ ...both, limits: {} }), 2)).not.toEqual([]);
  });

  it('let parts of a batch begin as often as it says', async () => {
    const { bed } = on;
    const send = async (queuePrefix: string): Promise<void> => {
      const rows = await writeRows(bed, 'limited', 6);
      const batch = await startRows(bed, `limited-${queuePrefix}`, rows, { queuePrefix });
      expect((await batch.result()).counts).toMatchObject({ completed: 6 });
    };
    const begun = await beginnings({ workers: 1, limits: { batchPartsPerSecond: PER_SECOND }, send });
    expect(begun).toHaveLength(6);
    expect(tooEarly(begun)).toEqual([]);
    expect(tooEarly(await beginnings({ workers: 1, limits: {}, send }))).not.toEqual([]);
  });
});

describe('parts at once', () => {
  it('are as many as the slots: two uploads of 12 parts have all 24 under way in one worker', async () => {
    const { bed } = on;
    const stop = await bed.startWorker({ slots: { host: 24 } });
    const { path } = await bed.writeFile('many.mp4', 12);
    bed.simulator.fault('hold:24:bytes=1000');
    const options = { ...HELD, concurrency: 12 };
    const uploads = await Promise.all([1, 2].map(() => bed.start(path, { options })));
    let held = 0;
    await bed.simulator.waitFor(({ event }) => event === 'held' && (held += 1) === 24);
    bed.simulator.release();
    const results = await Promise.all(uploads.map((upload) => upload.result()));
    expect(results.map(({ retries }) => retries)).toEqual([0, 0]);
    await stop();
  });
});

describe('the resource tuner', () => {
  it('uploads as the fixed one does', async () => {
    const { bed } = on;
    const stop = await bed.startWorker({ tuner: { targetMemory: 0.95, targetCpu: 0.95 } });
    const file = await bed.writeFile('tuned.mp4', 3);
    const result = await (await bed.start(file.path)).result();
    expect(result.status).toBe('COMPLETED');
    await stop();
  });
});
