import { describe, expect, it } from '@jest/globals';
import { livingWorkers } from '../../temporal/client/living-workers';
import { controlQueue, transferQueue } from '../../temporal/contract/upload';
import { useUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const on = useUploadFixture({ worker: false });

const PARTS = 10;
const WORKERS = 2;
const PER_SECOND = 4;

/** Resolves once the server knows `workers` workers. From then on each of them counts the others. */
async function untilCounted(
  { connection, queuePrefix, accountId }: UploadFixture,
  workers: number,
): Promise<void> {
  const work = {
    control: controlQueue(queuePrefix, accountId),
    queue: transferQueue(queuePrefix, accountId),
  };
  await until(
    `${String(workers)} workers are known`,
    () => livingWorkers(connection, work),
    (living) => living.length === workers,
  );
}

describe('the limit of a storage host', () => {
  it('holds over all workers: together they begin no part too early', async () => {
    const { fixture } = on;
    const change = { storageLimits: { '*': PER_SECOND }, slots: { transfer: PARTS } };
    for (let n = 0; n < WORKERS; n += 1) await fixture.startWorker(change);
    await untilCounted(fixture, WORKERS);
    const file = await fixture.writeFile('limited.mp4', PARTS);
    const options = { concurrency: PARTS, heartbeatMs: 30_000, stallMs: 30_000 };
    // Without a host, so that parts go to the queue that all workers share.
    const handle = await fixture.start(file.path, { source: { kind: 'path', path: file.path }, options });
    const result = await handle.result();
    expect(await fixture.simulator.objectSha256(fixture.session(result.uploadId).keyName)).toBe(file.sha256);

    const events = fixture.simulator.events();
    // Measured from before the first request, so that a slow machine makes everything later and nothing earlier.
    const from = events.find(({ event }) => event === 'started')?.at ?? Infinity;
    const begun = events.filter(({ event }) => event === 'part-begun').map(({ at }) => at - from);
    expect(begun.length).toBeGreaterThanOrEqual(PARTS);
    const earliest = begun.map((_, before) => (Math.max(0, before + 1 - WORKERS) / PER_SECOND) * 1000);
    expect(begun.filter((ms, before) => ms < (earliest[before] ?? 0) - 1)).toEqual([]);
  }, 300_000);
});
