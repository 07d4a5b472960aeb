import { MockActivityEnvironment } from '@temporalio/testing';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import { expect, it } from '@jest/globals';
import { endEarlierPages } from '../../../../../temporal/batch/activities/other-workflows';

const PLAN = {
  schema: 1,
  batchId: 'films',
  round: 1,
  startedBy: 'run',
  accountId: 'acme',
  pages: [{ rows: 1, digest: 'd', round: 1 }],
};

/** A Temporal with one page: its description, and the effect of a cancel. */
function temporalWith(describe: () => Promise<unknown>, cancel: () => Promise<void>): Client {
  return {
    withAbortSignal: (_signal: AbortSignal, run: () => Promise<unknown>) => run(),
    workflow: { getHandle: () => ({ describe, cancel }) },
  } as unknown as Client;
}

function ending(client: Client): Promise<void> {
  return new MockActivityEnvironment({ attempt: 1 }, { client }).run(() => endEarlierPages('acme', PLAN));
}

const named = (name: string) => () => Promise.resolve({ status: { name }, runId: 'page-run' });
const gone = (): Promise<never> => Promise.reject(new WorkflowNotFoundError('unknown', 'page', undefined));

it.each(['COMPLETED', 'TERMINATED', 'CANCELLED'])('a page that is %s is left unchanged', async (status) => {
  await expect(ending(temporalWith(named(status), gone))).resolves.toBeUndefined();
});

it.each(['RUNNING', 'PAUSED'])('a page that is %s is cancelled, and waited for', async (status) => {
  let cancels = 0;
  const cancel = (): Promise<void> => {
    cancels += 1;
    return Promise.resolve();
  };
  await expect(ending(temporalWith(named(status), cancel))).rejects.toMatchObject({ type: 'StillRunning' });
  expect(cancels).toBe(1);
});

it('a page that ends before its cancellation arrives is checked again', async () => {
  await expect(ending(temporalWith(named('RUNNING'), gone))).rejects.toMatchObject({ type: 'StillRunning' });
});

it('a Temporal that does not answer for a moment is asked again', async () => {
  const away = (): Promise<never> => Promise.reject(new Error('14 UNAVAILABLE'));
  await expect(ending(temporalWith(away, gone))).rejects.toMatchObject({ code: 'TemporalUnreachable' });
});
