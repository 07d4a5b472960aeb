import {
  ApplicationFailure,
  CancellationScope,
  defineSignal,
  getExternalWorkflowHandle,
  log,
} from '@temporalio/workflow';
import type { ExternalWorkflowHandle } from '@temporalio/workflow';
import { PAUSE_SIGNAL, RESUME_SIGNAL } from '../upload/types';

/** The signals that pause and resume an upload or a batch. To its pages, a batch sends a number with them. */
export const pauseSignal = defineSignal(PAUSE_SIGNAL);
export const resumeSignal = defineSignal(RESUME_SIGNAL);

/** How Temporal's core names, in a failure's type, that the other workflow has ended or never existed. */
const NOT_FOUND = 'ExternalWorkflowExecutionNotFound';

/** Sends a signal or cancellation, even after a cancellation of this workflow. Never rejects. */
export function sendTo(
  workflowId: string,
  send: (handle: ExternalWorkflowHandle) => Promise<void>,
): Promise<void> {
  return CancellationScope.nonCancellable(() => send(getExternalWorkflowHandle(workflowId))).catch(
    (error: unknown) => {
      // An ended workflow does not need it. After any other reason, the sender continues with the other workflows.
      if (hasEnded(error)) return;
      log.warn('A signal or cancellation could not be delivered', { workflowId, reason: String(error) });
    },
  );
}

/** Whether a signal or a cancellation found no running workflow. */
export function hasEnded(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.type === NOT_FOUND;
}
