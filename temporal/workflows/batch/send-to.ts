import { ApplicationFailure, CancellationScope, getExternalWorkflowHandle, log } from '@temporalio/workflow';
import type { ExternalWorkflowHandle } from '@temporalio/workflow';

/** How Temporal's core names, in a failure's type, that the other workflow has ended or never existed. */
const NOT_FOUND = 'ExternalWorkflowExecutionNotFound';

/** Sends a signal or cancellation, even after a cancellation of this workflow. Never rejects. */
export function sendTo(
  workflowId: string,
  send: (handle: ExternalWorkflowHandle) => Promise<void>,
): Promise<void> {
  return CancellationScope.nonCancellable(() => send(getExternalWorkflowHandle(workflowId))).catch(
    noteUndelivered(workflowId),
  );
}

/**
 * Handles a signal or cancellation that did not arrive. An ended workflow does not need it. Any other reason is
 * logged, so that the sender continues with the other workflows.
 */
function noteUndelivered(workflowId: string): (error: unknown) => void {
  return (error) => {
    if (hasEnded(error)) return;
    log.warn('A signal or cancellation could not be delivered', { workflowId, reason: String(error) });
  };
}

/** Whether a signal or a cancellation found no running workflow. */
export function hasEnded(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.type === NOT_FOUND;
}
