import { ApplicationFailure } from '@temporalio/common';
import { applicationFailureOf } from '../../application-failure';
import { inHeartbeatingActivity } from '../context/in-activity';

/**
 * Runs a step that only waits, or that writes down finished work. Every error is retried, because finished work must
 * not be lost. Somebody can empty a full disk, mount a folder again or start a server.
 */
export function inRetryableActivity<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return inHeartbeatingActivity(async (signal) => {
    try {
      return await run(signal);
    } catch (error) {
      throw signal.aborted ? error : retryable(error);
    }
  });
}

/** The error as a failure that Temporal retries. */
export function retryable(error: unknown): Error {
  const failure = applicationFailureOf(error);
  if (!(failure instanceof ApplicationFailure) || failure.nonRetryable !== true) return failure;
  const { message, type, details } = failure;
  return ApplicationFailure.create({ message, type: type ?? 'Internal', details: details ?? [] });
}
