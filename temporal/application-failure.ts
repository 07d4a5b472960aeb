import { ApplicationFailure, TemporalFailure } from '@temporalio/common';
import { MediaServiceError } from '../api/errors';
import { given } from '../api/json';
import { mayTryAgain } from '../api/retry';
import { redact } from '../api/answers/redact';
import { mayPass } from '../files/system-error';

interface CarriedFacts {
  readonly delayMs?: number;
  readonly tries?: number;
  readonly more?: readonly unknown[];
  readonly always?: boolean;
}

/**
 * Converts an error to a failure that Temporal can carry. `type` is the error's code, details are its facts, and
 * `nonRetryable` follows `mayTryAgain`. The next try waits as long as the server asked for. A temporary error
 * of the system is retried too. The cause is left out, because its text is not ours and could show secrets. Temporal's
 * own failures (a cancellation) pass unchanged. `temporal/failure` reads it back.
 *
 * `delayMs`: how long the next try waits if the server did not say it. Unset: as the retry policy says. `tries`: failed
 * ones so far. `more`: further details. `always`: it is retried, whatever it is.
 */
export function applicationFailureOf(
  error: unknown,
  { delayMs, tries = Infinity, more = [], always = false }: CarriedFacts = {},
): Error {
  if (error instanceof TemporalFailure) return error;
  const ours = error instanceof MediaServiceError ? error : undefined;
  const foreign = error instanceof Error ? `${error.name}: ${error.message}` : 'An unknown failure';
  const isRetried = always || (ours === undefined ? mayPass(error) : mayTryAgain(ours, tries));
  return ApplicationFailure.create({
    message: ours?.message ?? redact(foreign),
    type: ours?.code ?? 'Internal',
    nonRetryable: !isRetried,
    details: ours === undefined ? [] : [ours.facts, ...more],
    ...given({ nextRetryDelay: ours?.facts.retryAfterMs ?? delayMs }),
  });
}
