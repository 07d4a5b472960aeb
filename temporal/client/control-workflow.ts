import type { WorkflowHandle } from '@temporalio/client';
import { MediaServiceError } from '../../api/errors';
import type { TemporalConnection } from './connect';
import { errorOfRpc } from './rpc-failure';

type Noun = 'upload' | 'batch';

/**
 * Makes the call if the workflow runs, otherwise rejects with `RequestRefused`. Temporal itself accepts a cancellation
 * of an ended workflow, and does not distinguish ended from unknown workflows.
 */
export async function controlWorkflow(
  connection: TemporalConnection,
  { handle, noun }: { readonly handle: WorkflowHandle; readonly noun: Noun },
  call: () => Promise<unknown>,
): Promise<void> {
  const { workflowId } = handle;
  try {
    const { status } = await handle.describe();
    if (status.name === 'RUNNING') await call();
    else throw alreadyEnded(noun, workflowId, status.name);
  } catch (error) {
    throw errorOfRpc(connection, workflowId, error);
  }
}

const AFTER_THE_END: Readonly<Record<Noun, string>> = {
  upload: 'Its result says how it ended. To upload a file that did not arrive, start it again.',
  batch:
    'Its results say how each row ended. If rows are missing, start the batch again, or retry those that failed.',
};

function alreadyEnded(noun: Noun, workflowId: string, status: string): MediaServiceError {
  return new MediaServiceError(
    'RequestRefused',
    `The ${noun} ${workflowId} has already ended (${status}), so it can't be paused, resumed or cancelled.`,
    { outcome: 'refused', hint: AFTER_THE_END[noun], details: { workflowId, status } },
  );
}
