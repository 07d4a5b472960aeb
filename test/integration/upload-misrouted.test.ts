import { describe, expect, it } from '@jest/globals';
import { pollersOf, requireWorker } from '../../temporal/client/pollers';
import { controlQueue, hostQueue } from '../../temporal/contract';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });

describe('a worker that lacks the account', () => {
  it('polls none of its queues: the error names the queue and the ways out', async () => {
    const { bed } = on;
    const { account } = bed;
    await bed.startWorker({ accounts: [{ account: { ...account, externalId: 'somebody-else' } }] });
    const need = { queuePrefix: bed.queuePrefix, accountId: bed.accountId };
    const source = { kind: 'path', path: '/x', host: bed.config.host } as const;
    const queue = controlQueue(bed.queuePrefix, bed.accountId);
    await expect(requireWorker(bed.connection, { ...need, source })).rejects.toMatchObject({
      code: 'NoWorker',
      message: `No worker polls the task queue ${queue}.`,
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
    const need = { queuePrefix: bed.queuePrefix, accountId: bed.accountId };
    const elsewhere = { kind: 'path', path: '/x', host: 'far-away' } as const;
    await expect(requireWorker(bed.connection, { ...need, source: elsewhere })).rejects.toMatchObject({
      code: 'NoWorker',
      message: expect.stringContaining('.transfer@far-away'),
      facts: { hint: expect.stringMatching(/far-away.*--shared-path/) },
    });
    const here = { kind: 'path', path: '/x', host: bed.config.host } as const;
    await requireWorker(bed.connection, { ...need, source: here });
    const pollers = await pollersOf(bed.connection, controlQueue(bed.queuePrefix, bed.accountId));
    const name = `${process.pid}@${bed.config.host}/`;
    expect(pollers.filter(({ identity }) => identity.startsWith(name))).not.toEqual([]);
  });
});
