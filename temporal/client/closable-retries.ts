import type { GrpcRetryOptions } from '@temporalio/client';
import { systemClock } from '../../api/system-clock';

/** A timer may come later than it was asked for, ms. */
const LATE_MS = 100;

export interface ClosableRetries {
  readonly options: GrpcRetryOptions;
  /** From now on no call is tried again; resolves when tries that wait already have begun, within some seconds. */
  close(): Promise<void>;
}

/** The SDK's retries of calls, but that they can be ended: one that begins on a closed connection throws where nobody can catch it. */
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
