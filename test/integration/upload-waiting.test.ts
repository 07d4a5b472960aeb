import { describe, expect, it } from '@jest/globals';
import { livingWorkers, uploadNeed } from '../../temporal/client/living-workers';
import type { StartUpload } from '../../temporal/upload/client/start-upload';
import { unservedQueues } from '../../temporal/client/unserved-queues';
import type { LiveProgress, UploadHandle } from '../../temporal/upload/client/open-upload';
import { controlQueue, transferQueue } from '../../temporal/upload/types';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { useCredentials } from '../support/aws-credentials';
import { commandEnv, runCommand } from '../support/command';
import { freePort } from '../support/free-port';
import { hastyClock } from '../support/hasty-clock';
import { startTcpProxy } from '../support/tcp-proxy';
import { until } from '../support/until';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
useCredentials('anybody', 'a secret that nobody checks');

/** A worker that serves the fixture's account at another address for uploads, on queues of its own. */
async function servedAt(
  uploadUrl: string,
  change: Partial<WorkerConfig> = {},
): Promise<Pick<StartUpload, 'account' | 'queuePrefix'>> {
  const account = { ...on.fixture.account, uploadUrl };
  const queuePrefix = `${on.fixture.queuePrefix}-${uploadUrl.replaceAll(/\W/g, '-')}`;
  const accounts = [{ account }];
  await on.fixture.startWorker({ accounts, queuePrefix, ...change }, undefined, { clock: hastyClock });
  return { account, queuePrefix };
}

function untilWaiting(handle: UploadHandle): Promise<LiveProgress> {
  return until(
    'the upload waits',
    () => handle.progress(),
    ({ waitReason }) => waitReason !== undefined,
  );
}

describe('an upload', () => {
  it('fails within a minute if the upload host or that of its source does not exist, and says what to check', async () => {
    const { fixture } = on;
    const served = await servedAt('https://upload.invalid');
    const { path } = await fixture.writeFile('unsent.mp4', 0.1);
    const source = { kind: 'http', url: 'https://source.invalid/film.mp4', label: '' } as const;
    const began = Date.now();
    const unsent = await fixture.start(path, {}, served);
    const unread = await fixture.start('', { source }, served);
    expect((await untilWaiting(unsent)).waitReason).toMatchObject({
      message: expect.stringContaining('upload.invalid: the name does not resolve (ENOTFOUND)'),
      retryForMs: 60_000,
    });
    await expect(unsent.result()).rejects.toMatchObject({
      code: 'Transport',
      message: expect.stringMatching(
        /upload\.invalid: the name does not resolve \(ENOTFOUND\); it was tried \d+ times/,
      ),
      facts: { outcome: 'unsent', hint: expect.stringContaining('Check the address') },
    });
    await expect(unread.result()).rejects.toMatchObject({
      code: 'Transport',
      message: expect.stringMatching(
        /source\.invalid.* does not exist \(ENOTFOUND\); it was tried \d+ times/,
      ),
      facts: { hint: expect.stringContaining('Check the address of the source') },
    });
    expect(Date.now() - began).toBeLessThan(60_000);
    expect(fixture.simulator.seen().starts).toBe(0);
  });

  it('waits while the upload host refuses connections, says for how long and what to do, and sends one start when it is back', async () => {
    const { fixture } = on;
    const port = await freePort();
    const host = `127.0.0.1:${String(port)}`;
    const served = await servedAt(`http://${host}`);
    const { path } = await fixture.writeFile('later.mp4', 0.1);
    const handle = await fixture.start(path, {}, served);
    const { waitReason } = await untilWaiting(handle);
    expect(waitReason).toMatchObject({
      message: expect.stringContaining(`${host}: the connection was refused`),
    });
    expect(waitReason).not.toHaveProperty('retryForMs');
    const env = commandEnv({ ...fixture, ...served });
    const { stdout } = await until(
      'the reason is shown',
      () => runCommand(['uploads', 'show', handle.workflowId], { cwd: fixture.folder, env }),
      (end) => end.stdout.includes('What to do'),
    );
    expect(stdout).toMatch(
      /: starting.*\n {2}Retrying for up to 24 h: .*refused.*\n {2}What to do: .*Check the address/,
    );
    const proxy = await startTcpProxy({ port: Number(new URL(fixture.account.uploadUrl).port), at: port });
    try {
      expect(await handle.result()).toMatchObject({ status: 'COMPLETED', orphans: [] });
      expect(fixture.simulator.seen().starts).toBe(1);
    } finally {
      await proxy.close();
    }
  });

  it("whose source is in an S3 that can't be reached says so and what to do while it waits", async () => {
    const endpoint = `http://127.0.0.1:${String(await freePort())}`;
    const served = await servedAt('http://127.0.0.1:9', { s3: { endpoint, region: 'eu-north-1' } });
    const source = { kind: 's3', bucket: 'nobody', key: 'away.mp4' } as const;
    const handle = await on.fixture.start('', { source }, served);
    expect(await untilWaiting(handle)).toMatchObject({
      phase: 'pinning',
      waitReason: {
        code: 'Transport',
        message: expect.stringContaining(`S3 at ${endpoint} can't be reached`),
        hint: expect.stringContaining('{s3Endpoint}'),
      },
    });
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ code: 'Cancelled' });
  });
});

describe('a worker that lacks the account', () => {
  it('serves none of its queues', async () => {
    const { fixture } = on;
    const { account } = fixture;
    await fixture.startWorker({ accounts: [{ account: { ...account, externalId: 'north-studio' } }] });
    const ids = { queuePrefix: fixture.queuePrefix, accountId: fixture.accountId };
    const source = { kind: 'path', path: '/x', host: fixture.config.host } as const;
    const queue = transferQueue(fixture.queuePrefix, fixture.accountId, fixture.config.host);
    const unserved = await unservedQueues(fixture.connection, uploadNeed({ ...ids, source }));
    expect(unserved).toEqual([{ queue, host: fixture.config.host }]);
  });

  it('refuses a stray task as misrouted, and the upload continues once the right worker is there', async () => {
    const { fixture } = on;
    const { account, queuePrefix, config } = fixture;
    const queues = { [transferQueue(queuePrefix, fixture.accountId, config.host)]: false };
    const accounts = [{ account: { ...account, externalId: 'north-studio' } }];
    const stopWrong = await fixture.startBareWorker({ queues }, { accounts });
    const stop = await fixture.startWorker({ host: 'another-host' });
    const file = await fixture.writeFile('film.mp4', 0.1);
    const handle = await fixture.start(file.path);
    const workflow = fixture.connection.client.workflow.getHandle(handle.workflowId);
    const failure = await until(
      'the task is refused',
      async () => (await workflow.describe()).raw.pendingActivities?.[0]?.lastFailure,
      (last) => last?.applicationFailureInfo?.type === 'AccountNotServed',
    );
    expect(failure?.message).toContain('misrouted');
    await stopWrong();
    await stop();
    await fixture.startWorker();
    expect((await handle.result()).status).toBe('COMPLETED');
  });

  it("is reported differently from a worker on another machine than the file's", async () => {
    const { fixture } = on;
    const ids = { queuePrefix: fixture.queuePrefix, accountId: fixture.accountId };
    const elsewhere = uploadNeed({ ...ids, source: { kind: 'path', path: '/x', host: 'far-away' } });
    expect(await unservedQueues(fixture.connection, elsewhere)).toMatchObject([{ host: 'far-away' }]);
    const here = uploadNeed({ ...ids, source: { kind: 'path', path: '/x', host: fixture.config.host } });
    await until(
      'the queue of this machine is served',
      () => unservedQueues(fixture.connection, here),
      (queues) => queues.length === 0,
    );
    const control = controlQueue(fixture.queuePrefix, fixture.accountId);
    const workers = await livingWorkers(fixture.connection, control);
    expect(workers.map(({ host }) => host)).toContain(fixture.config.host);
  });
});

describe('a worker that is older than the starter', () => {
  it('leaves a workflow of a type that it does not know to a newer worker: nothing fails', async () => {
    const { fixture } = on;
    const { client } = fixture.connection;
    await fixture.startWorker();
    const handle = await client.workflow.start('uploadMediaOfLater', {
      workflowId: `upload/${fixture.accountId}/too-new`,
      taskQueue: controlQueue(fixture.queuePrefix, fixture.accountId),
    });
    const refusal = await until('a workflow task fails', async () => {
      const { events } = await handle.fetchHistory();
      const failed = events?.find((event) => event.workflowTaskFailedEventAttributes);
      return failed?.workflowTaskFailedEventAttributes?.failure?.message;
    });
    expect(refusal).toContain("workflow of type 'uploadMediaOfLater'");
    expect((await handle.describe()).status.name).toBe('RUNNING');
    await handle.terminate();
  });
});
