import { MockActivityEnvironment } from '@temporalio/testing';
import type { Client } from '@temporalio/client';
import { requireEarlierPagesEnded } from '../../../../../temporal/batch/activities/plan-batch';

const PLAN = {
  batchId: 'films',
  round: 1,
  startedBy: 'run',
  accountId: 'acme',
  pages: [{ rows: 1, digest: 'd', round: 1 }],
};

/** With a Temporal that has one page. */
function ending(describe: () => Promise<unknown>): Promise<void> {
  const client = {
    withAbortSignal: (_signal: AbortSignal, run: () => Promise<unknown>) => run(),
    workflow: { getHandle: () => ({ describe }) },
  } as unknown as Client;
  const environment = new MockActivityEnvironment({ attempt: 1 }, { client });
  return environment.run(() => requireEarlierPagesEnded('acme', PLAN));
}

const named = (name: string) => () => Promise.resolve({ status: { name }, runId: 'page-run' });

it.each(['COMPLETED', 'TERMINATED', 'CANCELLED'])('a page that is %s is not waited for', async (status) => {
  await expect(ending(named(status))).resolves.toBeUndefined();
});

it.each(['RUNNING', 'PAUSED'])('a page that is %s is waited for', async (status) => {
  await expect(ending(named(status))).rejects.toMatchObject({ type: 'StillRunning' });
});

it('a Temporal that does not answer for a moment is asked again', async () => {
  const away = (): Promise<never> => Promise.reject(new Error('14 UNAVAILABLE'));
  await expect(ending(away)).rejects.toMatchObject({ code: 'TemporalUnreachable' });
});
