import { describe, expect, it } from '@jest/globals';
import { livingWorkers } from '../../temporal/client/living-workers';
import { requireWorkers } from '../../temporal/client/unserved-queues';
import { uploadNeed } from '../../temporal/client/worker-need';
import { controlQueue, hostQueue } from '../../temporal/contract';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });

describe('a worker that lacks the account', () => {
  it('serves none of its queues: the refusal names the queue and the ways out', async () => {
    const { bed } = on;
    const { account } = bed;
    await bed.startWorker({ accounts: [{ account: { ...account, externalId: 'somebody-else' } }] });
    const ids = { queuePrefix: bed.queuePrefix, accountId: bed.accountId };
    const source = { kind: 'path', path: '/x', host: bed.config.host } as const;
    const queue = hostQueue(bed.queuePrefix, bed.accountId, bed.config.host);
    await expect(requireWorkers(bed.connection, uploadNeed({ ...ids, source }))).rejects.toMatchObject({
      code: 'NoWorker',
      message: `No worker asks for work on ${queue}.`,
      facts: { hint: expect.stringMatching(/media-service worker.*--shared-path/) },
    });
  });

  it('and yet gets a task of it refuses it as misrouted; the upload goes on once the right one is there', async () => {
    const { bed } = on;
    const { account, queuePrefix, config } = bed;
    const queues = { [hostQueue(queuePrefix, bed.accountId, config.host)]: false };
    const accounts = [{ account: { ...account, externalId: 'somebody-else' } }];
    const stopWrong = await bed.startBareWorker({ queues }, { accounts });
    const stop = await bed.startWorker({ host: 'another-host' });
    const file = await bed.writeFile('film.mp4', 1);
    const handle = await bed.start(file.path);
    const { client } = bed.connection;
    for (let refused = false; !refused;) {
      const { raw } = await client.workflow.getHandle(handle.workflowId).describe();
      const failure = raw.pendingActivities?.[0]?.lastFailure;
      refused = failure?.applicationFailureInfo?.type === 'AccountNotServed';
      if (refused) expect(failure?.message).toContain('misrouted');
    }
    await stopWrong();
    await stop();
    await bed.startWorker();
    expect((await handle.result()).status).toBe('COMPLETED');
  });

  it('is told apart from one on another machine than the file’s', async () => {
    const { bed } = on;
    const ids = { queuePrefix: bed.queuePrefix, accountId: bed.accountId };
    const elsewhere = uploadNeed({ ...ids, source: { kind: 'path', path: '/x', host: 'far-away' } });
    await expect(requireWorkers(bed.connection, elsewhere)).rejects.toMatchObject({
      code: 'NoWorker',
      message: expect.stringContaining('.transfer@far-away'),
      facts: { hint: expect.stringMatching(/far-away.*--shared-path/) },
    });
    const source = { kind: 'path', path: '/x', host: bed.config.host } as const;
    await requireWorkers(bed.connection, uploadNeed({ ...ids, source }));
    const control = controlQueue(bed.queuePrefix, bed.accountId);
    const workers = await livingWorkers(bed.connection, { control, queue: control });
    expect(workers.map(({ host }) => host)).toContain(bed.config.host);
  });
});
