import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { livingWorkers } from '../../temporal/client/living-workers';
import { transferQueue } from '../../temporal/upload/types';
import type { CommandContext } from '../support/built-command';
import { commandEnv, runCommand, startCommand } from '../support/command';
import { seenEvents } from '../support/seen-events';
import { HELD, openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';
import type { QueueReader } from '../support/until-polled';

/** A poller counts as alive for 70 s after its last poll. */
const BUSY_MS = 80_000;
const SLOTS = { parts: 2 };
/** TASK_QUEUE_TYPE_ACTIVITY */
const ACTIVITY_QUEUE = 2;

let fixture: UploadFixture;
let context: CommandContext;
beforeAll(async () => {
  fixture = await openUploadFixture();
  context = { cwd: fixture.folder, env: commandEnv(fixture) };
});
afterAll(() => fixture.close());

/**
 * Takes every group slot for parts of the only worker: two for files of its machine, two for shared files. None ends
 * before it is released.
 */
async function occupyWorker(): Promise<{ result(): Promise<unknown> }[]> {
  fixture.simulator.fault('hold:4');
  const { path } = await fixture.writeFile('slow.mp4', 1);
  const shared = { source: { kind: 'path', path }, options: HELD } as const;
  const requests = [{ options: HELD }, { options: HELD }, shared, shared];
  const uploads = await Promise.all(requests.map((request) => fixture.start(path, request)));
  await seenEvents(fixture.simulator, { event: 'held', count: 4 });
  return uploads;
}

/** Resolves once nobody has polled for parts of the machine's files for `ms` ms. */
async function untilSilentFor(ms: number): Promise<void> {
  const { client, namespace } = fixture.connection;
  const service: QueueReader = client.workflowService;
  const name = transferQueue(fixture.queuePrefix, fixture.accountId, fixture.config.host);
  const askedMsAgo = async (): Promise<number> => {
    const queue = { namespace, taskQueue: { name }, taskQueueType: ACTIVITY_QUEUE };
    const { pollers } = await service.describeTaskQueue(queue);
    const seen = pollers.map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000);
    return Date.now() - Math.max(...seen);
  };
  await until(`nobody has polled ${name} for ${ms} ms`, askedMsAgo, (msAgo) => msAgo > ms, {
    pauseMs: 1_000,
    limitMs: 2 * ms,
  });
}

it('a worker whose part slots have been busy for longer than a poller counts as alive still answers commands and doctor', async () => {
  await fixture.startWorker({ slots: SLOTS });
  const slow = await occupyWorker();
  await fixture.startWorker({ slots: SLOTS, host: 'second-host' });
  await untilSilentFor(BUSY_MS);

  const doctor = await runCommand(['doctor'], context);
  expect(doctor.stdout).toMatch(/^ok {4}workers: 2 workers asked for work in the last minute/m);
  const queue = transferQueue(fixture.queuePrefix, fixture.accountId);
  expect(await livingWorkers(fixture.connection, queue)).toHaveLength(2);

  for (const name of ['a.mp4', 'b.mp4']) await fixture.writeFile(name, 1);
  const waiting = startCommand(['upload', 'a.mp4', 'b.mp4', '--wait'], context);
  await waiting.until('b.mp4: pinning');
  await writeFile(join(fixture.folder, 'late.csv'), 'source\na.mp4\n');
  const batch = await runCommand(['batches', 'start', 'late.csv', '--id', 'late', '--json'], context);
  expect(batch).toMatchObject({ exit: 0, stderr: '' });

  fixture.simulator.release();
  await Promise.all(slow.map((upload) => upload.result()));
  const uploaded = await waiting.ended;
  expect(uploaded).toMatchObject({ exit: 0, stdout: expect.stringContaining('b.mp4: COMPLETED') });
  expect(uploaded.stderr).not.toContain('worker');
  expect((await runCommand(['batches', 'wait', 'late', '--json'], context)).exit).toBe(0);
});
