import type { GrpcRetryOptions } from '@temporalio/client';
import { systemClock } from '../../api/clock';

/** A timer may fire later than requested, ms. */
const LATE_MS = 100;

interface ClosableRetries {
  readonly options: GrpcRetryOptions;
  /** From now on, no call is retried. Resolves within some seconds, when scheduled retries have begun. */
  close(): Promise<void>;
}

/**
 * The SDK's retries of calls, which can also be stopped. A retry on a closed connection would throw an error that
 * nobody can catch.
 */
export function closableRetries({ delayFunction, retryableDecider }: GrpcRetryOptions): ClosableRetries {
  let closed = false;
  let lastBeginsAt = 0;
  return {
    options: {
      retryableDecider: (attempt, status) => !closed && retryableDecider(attempt, status),
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
