import { ApplicationFailure, TemporalFailure } from '@temporalio/common';
import { MediaServiceError } from '../api/errors';
import { isRetryable } from '../api/retry/retryable';
import { redact } from '../api/answers/redact';
import { mayPass } from '../api/upload/sources/source-failure';

/**
 * An error as Temporal carries it: `type` is the error's code, details are its facts, `nonRetryable` follows `api/retry/retryable`,
 * the next try waits as long as the server asked for. An error of the system that may pass is tried again as well. The cause stays behind: it is not ours, so nobody can vouch for what it shows.
 * Temporal's own failures (a cancellation) pass unchanged. `temporal/failure` reads it back.
 */
export function applicationFailureOf(error: unknown): Error {
  if (error instanceof TemporalFailure) return error;
  if (!(error instanceof MediaServiceError)) {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : 'An unknown failure';
    return ApplicationFailure.create({
      message: redact(message),
      type: 'Internal',
      nonRetryable: !mayPass(error),
    });
  }
  const { retryAfterMs } = error.facts;
  return ApplicationFailure.create({
    message: error.message,
    type: error.code,
    nonRetryable: !isRetryable(error),
    details: [error.facts],
    ...(retryAfterMs === undefined ? {} : { nextRetryDelay: retryAfterMs }),
  });
}
