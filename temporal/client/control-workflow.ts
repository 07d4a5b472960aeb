import type { WorkflowExecutionDescription } from '@temporalio/client';
import { MediaServiceError } from '../../api/errors';
import type { TemporalConnection } from './connect';
import { askTemporal } from './rpc-failure';

export type Noun = 'upload' | 'batch';

/** Whether a workflow has not ended. An operator can also pause it in Temporal. */
export function isOpen({ status }: Pick<WorkflowExecutionDescription, 'status'>): boolean {
  return status.name === 'RUNNING' || status.name === 'PAUSED';
}

/**
 * Makes the call if the workflow has not ended, otherwise rejects with `RequestRefused`. Temporal itself accepts a
 * cancellation of an ended workflow, and does not distinguish ended from unknown workflows.
 */
export async function controlWorkflow(
  connection: TemporalConnection,
  { workflowId, runId, noun }: { workflowId: string; runId?: string | undefined; noun: Noun },
  call: () => Promise<unknown>,
): Promise<void> {
  await askTemporal(connection, workflowId, async () => {
    // Without a codec key, only the lister can describe it.
    const described = await connection.lister.workflow.getHandle(workflowId, runId).describe();
    if (!isOpen(described)) throw alreadyEnded(noun, workflowId, described.status.name);
    await call();
  });
}

function alreadyEnded(noun: Noun, workflowId: string, status: string): MediaServiceError {
  return new MediaServiceError(
    'RequestRefused',
    `The ${noun} ${workflowId} has ended (${status}), so it can't be paused, resumed or cancelled.`,
    {
      outcome: 'refused',
      hint:
        noun === 'batch'
          ? `See its results with {batchEnd:${workflowId}}. Rows that failed can be retried.`
          : `See how it ended with {uploadEnd:${workflowId}}. If the file did not arrive, start it again.`,
      details: { workflowId, status },
    },
  );
}
