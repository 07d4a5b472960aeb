import { describe, expect, it } from '@jest/globals';
import { livingWorkers } from '../../temporal/client/living-workers';
import { requireWorkers } from '../../temporal/client/unserved-queues';
import { uploadNeed } from '../../temporal/client/worker-need';
import { controlQueue, hostQueue } from '../../temporal/contract/upload';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });

describe('a worker that lacks the account', () => {
  it('serves none of its queues: the refusal names the queue and the ways out', async () => {
    const { fixture } = on;
    const { account } = fixture;
    await fixture.startWorker({ accounts: [{ account: { ...account, externalId: 'somebody-else' } }] });
    const ids = { queuePrefix: fixture.queuePrefix, accountId: fixture.accountId };
    const source = { kind: 'path', path: '/x', host: fixture.config.host } as const;
    const queue = hostQueue(fixture.queuePrefix, fixture.accountId, fixture.config.host);
    await expect(requireWorkers(fixture.connection, uploadNeed({ ...ids, source }))).rejects.toMatchObject({
      code: 'NoWorker',
      message: `No worker serves the task queue ${queue}.`,
      facts: { remedy: expect.objectContaining({ kind: 'run-worker', because: expect.any(String) }) },
    });
  });

  it('refuses a stray task as misrouted, and the upload continues once the right worker is there', async () => {
    const { fixture } = on;
    const { account, queuePrefix, config } = fixture;
    const queues = { [hostQueue(queuePrefix, fixture.accountId, config.host)]: false };
    const accounts = [{ account: { ...account, externalId: 'somebody-else' } }];
    const stopWrong = await fixture.startBareWorker({ queues }, { accounts });
    const stop = await fixture.startWorker({ host: 'another-host' });
    const file = await fixture.writeFile('film.mp4', 1);
    const handle = await fixture.start(file.path);
    const { client } = fixture.connection;
    for (let refused = false; !refused;) {
      const { raw } = await client.workflow.getHandle(handle.workflowId).describe();
      const failure = raw.pendingActivities?.[0]?.lastFailure;
      refused = failure?.applicationFailureInfo?.type === 'AccountNotServed';
      if (refused) expect(failure?.message).toContain('misrouted');
    }
    await stopWrong();
    await stop();
    await fixture.startWorker();
    expect((await handle.result()).status).toBe('COMPLETED');
  });

  it("is reported differently from a worker on another machine than the file's", async () => {
    const { fixture } = on;
    const ids = { queuePrefix: fixture.queuePrefix, accountId: fixture.accountId };
    const elsewhere = uploadNeed({ ...ids, source: { kind: 'path', path: '/x', host: 'far-away' } });
    await expect(requireWorkers(fixture.connection, elsewhere)).rejects.toMatchObject({
      code: 'NoWorker',
      message: expect.stringContaining('.transfer@far-away'),
      facts: {
        remedy: expect.objectContaining({
          kind: 'run-worker',
          host: 'far-away',
          because: expect.any(String),
        }),
      },
    });
    const source = { kind: 'path', path: '/x', host: fixture.config.host } as const;
    await requireWorkers(fixture.connection, uploadNeed({ ...ids, source }));
    const control = controlQueue(fixture.queuePrefix, fixture.accountId);
    const workers = await livingWorkers(fixture.connection, { control, queue: control });
    expect(workers.map(({ host }) => host)).toContain(fixture.config.host);
  });
});
