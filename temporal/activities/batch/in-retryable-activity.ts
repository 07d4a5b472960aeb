import { ApplicationFailure } from '@temporalio/common';
import { MINUTE_MS, SECOND_MS } from '../../../api/durations';
import { given } from '../../../api/json';
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

/** The error as a failure that Temporal retries, after `delayMs` or as its policy says. */
export function retryable(error: unknown, delayMs?: number): Error {
  const failure = applicationFailureOf(error, given({ delayMs }));
  if (!(failure instanceof ApplicationFailure) || failure.nonRetryable !== true) return failure;
  const { message, type, details } = failure;
  return ApplicationFailure.create({
    ...{ message, type: type ?? 'Internal', details: details ?? [] },
    ...given({ nextRetryDelay: delayMs }),
  });
}

/** How long a failed attempt waits for the next one: a second, and each time twice as long, up to a minute. */
export function retryDelayMs(attempt: number): number {
  return Math.min(MINUTE_MS, SECOND_MS * 2 ** (attempt - 1));
}
