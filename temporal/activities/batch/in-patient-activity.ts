import { ApplicationFailure } from '@temporalio/common';
import { applicationFailureOf } from '../../application-failure';
import { inHeartbeatingActivity } from '../context/in-activity';

/**
 * Runs a step that only waits, or writes down what was done: whatever goes wrong is tried again, since a full disk can be emptied, a folder
 * mounted anew, a server started, and what was done must not be lost.
 */
export function inPatientActivity<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return inHeartbeatingActivity(async (signal) => {
    try {
      return await run(signal);
    } catch (error) {
      throw signal.aborted ? error : retryable(applicationFailureOf(error));
    }
  });
}

function retryable(failure: Error): Error {
  if (!(failure instanceof ApplicationFailure) || failure.nonRetryable !== true) return failure;
  const { message, type, details } = failure;
  return ApplicationFailure.create({ message, type: type ?? 'Internal', details: details ?? [] });
}
