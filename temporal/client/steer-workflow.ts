import type { WorkflowHandle } from '@temporalio/client';
import { MediaServiceError } from '../../api/errors';
import type { TemporalConnection } from './connect';
import { errorOfRpc } from './rpc-failure';

/**
 * Makes the call where the workflow runs, else rejects with `RequestRefused`: Temporal itself takes a cancellation of what has ended,
 * and confuses the ended with the unknown.
 */
export async function steerWorkflow(
  connection: TemporalConnection,
  { handle, noun }: { readonly handle: WorkflowHandle; readonly noun: 'upload' | 'batch' },
  call: () => Promise<unknown>,
): Promise<void> {
  const { workflowId } = handle;
  try {
    const { status } = await handle.describe();
    if (status.name === 'RUNNING') await call();
    else throw alreadyEnded(`${noun} ${workflowId}`, workflowId, status.name);
  } catch (error) {
    throw errorOfRpc(connection, workflowId, error);
  }
}

function alreadyEnded(what: string, workflowId: string, status: string): MediaServiceError {
  return new MediaServiceError(
    'RequestRefused',
    `The ${what} has already ended (${status}): there is nothing to steer.`,
    { outcome: 'refused', details: { workflowId, status } },
  );
}
