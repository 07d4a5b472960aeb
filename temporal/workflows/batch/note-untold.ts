import { log } from '@temporalio/workflow';
import { hasEnded } from './has-ended';

/**
 * What becomes of a signal or a cancellation that did not arrive: a workflow that has ended has nothing to be told, and any other reason is logged, since who tells
 * it has to go on with the others.
 */
export function noteUntold(workflowId: string): (error: unknown) => void {
  return (error) => {
    if (hasEnded(error)) return;
    log.warn('A workflow could not be told', { workflowId, reason: String(error) });
  };
}
