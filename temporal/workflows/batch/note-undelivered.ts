import { log } from '@temporalio/workflow';
import { hasEnded } from './has-ended';

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
