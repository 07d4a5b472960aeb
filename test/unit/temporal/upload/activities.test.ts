import { expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { uploadActivities } from '../../../../temporal/upload/activities';
import type { ActivityDeps } from '../../../../temporal/worker/activity-deps';

it('sends no start if the cancellation ends the call that asks Temporal whether there was one', async () => {
  const heartbeat = (): Promise<void> => {
    worker.cancel();
    return Promise.reject(new Error('1 CANCELLED: Cancelled on client'));
  };
  const withAbortSignal = (_signal: AbortSignal, run: () => Promise<unknown>): Promise<unknown> => run();
  const client = { activity: { heartbeat }, withAbortSignal } as never;
  const worker = new MockActivityEnvironment({ heartbeatTimeoutMs: 20_000 }, { client });
  const deps = {
    identity: '11@mac/aaaaaa',
    accounts: new Map([['acme', {}]]),
    accountRates: { admitCall: () => Promise.resolve() },
    knownHosts: { judge: (error: unknown) => error },
  } as unknown as ActivityDeps;

  const { startSession } = uploadActivities(deps);
  await expect(worker.run(startSession, { accountId: 'acme' } as never)).rejects.toMatchObject({
    message: 'the upload was cancelled',
    type: 'Cancelled',
  });
});
