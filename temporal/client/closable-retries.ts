import type { GrpcRetryOptions } from '@temporalio/client';
import { systemClock } from '../../api/clock';

/** A timer may fire later than requested, ms. */
const LATE_MS = 100;
/** Tries of a call whose namespace is not found. */
const NAMESPACE_TRIES = 6;
const NAMESPACE_NOT_FOUND = /^Namespace \S+ is not found/;

interface ClosableRetries {
  readonly options: GrpcRetryOptions;
  /** From now on, no call is retried. Resolves within some seconds, when scheduled retries have begun. */
  close(): Promise<void>;
}

/**
 * The SDK's retries of calls, which can also be stopped. A retry on a closed connection would throw an error that
 * nobody can catch. A busy Temporal server answers that a namespace is not found if it could not look it up in time, so
 * this answer must come several times.
 */
export function closableRetries({ delayFunction, retryableDecider }: GrpcRetryOptions): ClosableRetries {
  let closed = false;
  let lastBeginsAt = 0;
  return {
    options: {
      retryableDecider: (attempt, status) =>
        !closed &&
        (retryableDecider(attempt, status) ||
          (attempt < NAMESPACE_TRIES && NAMESPACE_NOT_FOUND.test(status.details))),
      delayFunction(attempt, status) {
        const delayMs = delayFunction(attempt, status);
        lastBeginsAt = Math.max(lastBeginsAt, systemClock.now() + delayMs + LATE_MS);
        return delayMs;
      },
    },
    async close() {
      closed = true;
      const waitMs = lastBeginsAt - systemClock.now();
      if (waitMs > 0) await systemClock.sleep(waitMs);
    },
  };
}
