import { log } from '@temporalio/workflow';

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

/**
 * Whether a signal or a cancellation found no running workflow. Temporal's core reports it only in the message: "…
 * because it was not found", "… because not found".
 */
export function hasEnded(error: unknown): boolean {
  return error instanceof Error && /because (it was )?not found$/.test(error.message);
}
