import { MockActivityEnvironment } from '@temporalio/testing';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Client } from '@temporalio/client';

/** A Temporal that knows no workflow and no worker. */
const FORGETFUL = {
  options: { namespace: 'default' },
  workflowService: { describeTaskQueue: () => Promise.resolve({ pollers: [] }) },
  withAbortSignal: (_signal: AbortSignal, run: () => Promise<unknown>) => run(),
  workflow: {
    getHandle: (workflowId: string) => ({
      describe: () => Promise.reject(new WorkflowNotFoundError('unknown', workflowId, undefined)),
    }),
  },
} as unknown as Client;

/** Runs an activity whose worker would be missed after 20 s, with a Temporal that knows nothing. */
export function runActivity<A, R>(activity: (input: A) => Promise<R>, input: A): Promise<R> {
  const env = new MockActivityEnvironment({ heartbeatTimeoutMs: 20_000 }, { client: FORGETFUL });
  return env.run(activity, input);
}
