import { describe, expect, it } from '@jest/globals';
import { livingWorkers } from '../../temporal/client/living-workers';
import { controlQueue, transferQueue } from '../../temporal/contract';
import { useUploadBed } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';
import { until } from '../support/until';

const on = useUploadBed({ worker: false });

const PARTS = 10;
const WORKERS = 2;
const PER_SECOND = 4;

/** Resolves once the server knows of so many workers: from then on each of them counts the others. */
async function untilCounted(
  { connection, queuePrefix, accountId }: UploadBed,
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

describe('a limit of a storage host', () => {
  it('holds over all workers: together they begin no part too early', async () => {
    const { bed } = on;
    const change = { storageLimits: { '*': PER_SECOND }, slots: { transfer: PARTS } };
    for (let n = 0; n < WORKERS; n += 1) await bed.startWorker(change);
    await untilCounted(bed, WORKERS);
    const file = await bed.writeFile('limited.mp4', PARTS);
    const options = { concurrency: PARTS, heartbeatMs: 30_000, stallMs: 30_000 };
    // Of no machine: parts go to the queue that all workers share.
    const handle = await bed.start(file.path, { source: { kind: 'path', path: file.path }, options });
    const result = await handle.result();
    expect(await bed.simulator.objectSha256(bed.session(result.uploadId).keyName)).toBe(file.sha256);

    const events = bed.simulator.events();
    // Before any turn can have been taken, so that a slow machine makes everything later and nothing earlier.
    const from = events.find(({ event }) => event === 'started')?.at ?? Infinity;
    const begun = events.filter(({ event }) => event === 'part-begun').map(({ at }) => at - from);
    expect(begun.length).toBeGreaterThanOrEqual(PARTS);
    const earliest = begun.map((_, before) => (Math.max(0, before + 1 - WORKERS) / PER_SECOND) * 1000);
    expect(begun.filter((ms, before) => ms < (earliest[before] ?? 0) - 1)).toEqual([]);
  }, 300_000);
});
