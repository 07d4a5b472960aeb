import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../api/system-clock';
import { livingWorkers } from '../../temporal/client/living-workers';
import type { LivingWorker, QueueReader, WorkQueue } from '../../temporal/client/living-workers';
import { controlQueue, hostQueue, transferQueue } from '../../temporal/contract';
import { createSharingWorkers } from '../../temporal/worker/sharing-workers';
import { accountEnv, buildCommand, runCommand, startCommand } from '../support/command';
import type { CommandPlace } from '../support/command';
import { HELD, openUploadBed } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';

/** The server tells of pollers of the last 70 s and forgets them after five minutes. */
const BUSY_MS = 180_000;
const SLOTS = { transfer: 2, host: 2 };
/** TASK_QUEUE_TYPE_ACTIVITY */
const ACTIVITY_QUEUE = 2;

let bed: UploadBed;
let place: CommandPlace;
beforeAll(async () => {
  await buildCommand();
  bed = await openUploadBed();
  const { address, namespace } = bed.config.temporal;
  const env = {
    ...accountEnv(bed.account),
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    MEDIA_SERVICE_QUEUE_PREFIX: bed.queuePrefix,
    MEDIA_SERVICE_HOST: bed.config.host,
  };
  place = { cwd: bed.folder, env };
});
afterAll(() => bed.close());

/** Takes every slot for groups of parts of the only worker: two of files of its machine, two of shared ones, none of which ends before it is let go. */
async function occupyWorker(): Promise<{ result(): Promise<unknown> }[]> {
  bed.simulator.fault('hold:4');
  const { path } = await bed.writeFile('slow.mp4', 1);
  const shared = { source: { kind: 'path', path }, options: HELD } as const;
  const requests = [{ options: HELD }, { options: HELD }, shared, shared];
  const uploads = await Promise.all(requests.map((request) => bed.start(path, request)));
  let held = 0;
  await bed.simulator.waitFor(({ event }) => event === 'held' && (held += 1) === 4);
  return uploads;
}

/** Resolves once nobody has asked for parts of the machine's files for so long. */
async function untilSilentFor(ms: number): Promise<void> {
  const { client, namespace } = bed.connection;
  const service: QueueReader = client.workflowService;
  const name = hostQueue(bed.queuePrefix, bed.accountId, bed.config.host);
  for (;;) {
    const { pollers } = await service.describeTaskQueue({
      namespace,
      taskQueue: { name },
      taskQueueType: ACTIVITY_QUEUE,
    });
    const seen = pollers.map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000);
    if (Date.now() - Math.max(...seen) > ms) return;
    await systemClock.sleep(1_000);
  }
}

interface Findings {
  readonly findings: readonly { readonly check: string; readonly state: string; readonly says: string }[];
}

describe('a worker whose part slots have all been busy for three minutes', () => {
  it('is alive for commands, for doctor, and for the other worker that shares its limits', async () => {
    await bed.startWorker({ slots: SLOTS });
    const slow = await occupyWorker();
    await bed.startWorker({ slots: SLOTS, host: 'second-host' });
    await untilSilentFor(BUSY_MS);

    const doctor = JSON.parse((await runCommand(['doctor', '--json'], place)).stdout) as Findings;
    expect(doctor.findings.find(({ check }) => check === 'workers')).toMatchObject({
      state: 'ok',
      says: expect.stringContaining('2 workers live'),
    });
    const workersOf = (queue: WorkQueue): Promise<LivingWorker[]> => livingWorkers(bed.connection, queue);
    const control = controlQueue(bed.queuePrefix, bed.accountId);
    const queue = transferQueue(bed.queuePrefix, bed.accountId);
    expect(await createSharingWorkers({ workersOf, clock: systemClock })([{ control, queue }])).toBe(2);

    for (const name of ['late.mp4', 'a.mp4', 'b.mp4']) await bed.writeFile(name, 1);
    expect(await runCommand(['upload', 'late.mp4', '--json'], place)).toMatchObject({ exit: 0, stderr: '' });
    const waiting = await startCommand(['upload', 'a.mp4', 'b.mp4', '--wait'], place);
    await waiting.until('b.mp4: pinning');
    await writeFile(join(bed.folder, 'late.csv'), 'source\nlate.mp4\n');
    const batch = await runCommand(['batch', 'start', 'late.csv', '--id', 'late', '--json'], place);
    expect(batch).toMatchObject({ exit: 0, stderr: '' });

    bed.simulator.release();
    await Promise.all(slow.map((upload) => upload.result()));
    const uploaded = await waiting.ended;
    expect(uploaded).toMatchObject({ exit: 0, stdout: expect.stringContaining('b.mp4: COMPLETED') });
    expect(uploaded.stderr).not.toContain('worker');
    expect((await runCommand(['batch', 'watch', 'late', '--json'], place)).exit).toBe(0);
  });
});
