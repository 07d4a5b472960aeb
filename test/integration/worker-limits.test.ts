import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { AccountLimits } from '../../api/account/account';
import { livingWorkers } from '../../temporal/client/living-workers';
import type { UploadHandle } from '../../temporal/client/upload-handle';
import { controlQueue, hostQueue } from '../../temporal/contract/upload';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { startRows, writeRows } from '../support/batch-fixture';
import { until } from '../support/until';
import { HELD, MIB, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
/** So few that parts without a limit are faster while other tests run as well. */
const PER_SECOND = 1;
/** Parts that two workers of a storage host begin together. */
const STORED = 10;
const STORED_PER_SECOND = 4;

interface Limited extends Pick<WorkerConfig, 'slots' | 'storageLimits'> {
  readonly workers: number;
  readonly limits?: AccountLimits;
  /** Sends parts through the workers of this queue prefix. */
  send(queuePrefix: string): Promise<void>;
}

/** Start times of the parts that `send` causes, ms after the first session started. */
async function beginnings({ workers, limits = {}, send, ...more }: Limited): Promise<number[]> {
  const { fixture } = on;
  // Workers that were stopped still count on their queues for a while.
  const queuePrefix = `${fixture.queuePrefix}-${randomBytes(4).toString('hex')}`;
  const accounts = fixture.config.accounts.map((served) => ({ ...served, limits }));
  const change = { accounts, queuePrefix, ...more };
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
function tooEarly(begun: readonly number[], workers = 1, perSecond = PER_SECOND): number[] {
  return begun.filter((ms, before) => ms < (Math.max(0, before + 1 - workers) / perSecond) * 1_000 - 1);
}

describe('the limits of an account', () => {
  it('hold for the rate of parts over all workers', async () => {
    const { fixture } = on;
    const { path } = await fixture.writeFile('limited.mp4', 2);
    const senders = new Set<string>();
    const send = async (queuePrefix: string): Promise<void> => {
      const one = (): Promise<UploadHandle> =>
        fixture.start(path, { options: { concurrency: 2, heartbeatMs: 30_000 } }, { queuePrefix });
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
    expect(begun).toHaveLength(8);
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

describe('the limit of a storage host', () => {
  it('holds over all workers: together they begin no part too early', async () => {
    const { fixture } = on;
    const file = await fixture.writeFile('stored.mp4', STORED);
    const options = { concurrency: STORED, heartbeatMs: 30_000, stallMs: 30_000 };
    const send = async (queuePrefix: string): Promise<void> => {
      // Without a host, so that parts go to the queue that all workers share.
      const source = { kind: 'path', path: file.path } as const;
      const handle = await fixture.start(file.path, { source, options }, { queuePrefix });
      const { uploadId } = await handle.result();
      expect(await fixture.simulator.objectSha256(fixture.session(uploadId).keyName)).toBe(file.sha256);
    };
    const storageLimits = { '*': STORED_PER_SECOND };
    const begun = await beginnings({ workers: 2, storageLimits, slots: { transfer: STORED }, send });
    expect(begun.length).toBeGreaterThanOrEqual(STORED);
    expect(tooEarly(begun, 2, STORED_PER_SECOND)).toEqual([]);
  });
});

describe('a bandwidth limit', () => {
  it('lets every part be sent once, although each waits longer for bandwidth than a stall or heartbeat may last', async () => {
    const { fixture } = on;
    const stop = await fixture.startWorker({ bandwidth: 2 * MIB });
    const file = await fixture.writeFile('paced.mp4', 3);
    const options = { concurrency: 3, stallMs: 4_000, heartbeatMs: 5_000 };
    const result = await (await fixture.start(file.path, { options })).result();
    await stop();
    expect(result.parts.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
    // All three need 7.5 s together, and the last may have begun a moment after the first.
    expect(Math.max(...result.parts.map(({ ms }) => ms))).toBeGreaterThan(options.heartbeatMs);
    expect(await fixture.simulator.objectSha256(fixture.session(result.uploadId).keyName)).toBe(file.sha256);
  });

  it('requeues parts that would be too slow, and they are sent when there is bandwidth', async () => {
    const { fixture } = on;
    const stop = await fixture.startWorker({ bandwidth: 2 * MIB });
    const file = await fixture.writeFile('crowded.mp4', 2);
    const options = { concurrency: 2, minimumThroughput: 800 * 1024, bytesPerSecond: 2 * MIB };
    const result = await (await fixture.start(file.path, { options })).result();
    await stop();
    const { parts } = fixture.session(result.uploadId);
    expect(parts.map(({ puts }) => puts)).toEqual([1, 1]);
    expect(result.parts.some(({ attempts }) => attempts > 1)).toBe(true);
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
