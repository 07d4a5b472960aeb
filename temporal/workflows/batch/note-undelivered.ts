import { ApplicationFailure, log } from '@temporalio/workflow';

/** How Temporal's core names, in a failure's type, that the other workflow has ended or never existed. */
const NOT_FOUND = 'ExternalWorkflowExecutionNotFound';

/**
 * Handles a signal or cancellation that did not arrive. An ended workflow does not need it. Any other reason is
 * logged, so that the sender continues with the other workflows.
 */
export function noteUndelivered(workflowId: string): (error: unknown) => void {
  return (error) => {
    if (hasEnded(error)) return;
    log.warn('A signal or cancellation could not be delivered', { workflowId, reason: String(error) });
  };
}

/** Whether a signal or a cancellation found no running workflow. */
export function hasEnded(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.type === NOT_FOUND;
}
