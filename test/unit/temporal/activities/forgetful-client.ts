import { WorkflowNotFoundError } from '@temporalio/client';
import type { Client } from '@temporalio/client';

/** A Temporal that knows no workflow. */
export const FORGETFUL = {
  withAbortSignal: (_signal: AbortSignal, run: () => Promise<unknown>) => run(),
  workflow: {
    getHandle: (workflowId: string) => ({
      describe: () => Promise.reject(new WorkflowNotFoundError('unknown', workflowId, undefined)),
    }),
  },
} as unknown as Client;
