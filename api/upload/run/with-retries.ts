import type { Clock } from '../../clock';
import { MediaServiceError } from '../../errors';
import { retryDelayMs } from '../../retry/retry-delay';
import { isRetryable } from '../../retry/retryable';

interface RetryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** How long to keep retrying after the first failure, ms. A function decides by the last error. */
  readonly retryForMs: number | ((error: MediaServiceError) => number);
  /** A try failed and another one follows. */
  readonly onRetry?: (error: MediaServiceError) => void;
  /** Returns the error to end with at once, whatever time is left. Undefined: keep retrying. */
  readonly giveUp?: (error: MediaServiceError) => MediaServiceError | undefined;
}

/** The time limit would end work with long tries too early. */
const MIN_TRIES = 5;

/**
 * Retries temporary failures with full-jitter backoff and Retry-After: at least `MIN_TRIES` times, then until the time
 * limit. `tries` counts from 1. Rejects with the last error, the error from `giveUp`, or the signal's reason.
 */
export async function withRetries<T>(
  { clock, signal, retryForMs, onRetry, giveUp }: RetryOptions,
  run: (tries: number) => Promise<T>,
): Promise<T> {
  let failedAt: number | undefined;
  for (let tries = 1; ; tries += 1) {
    try {
      return await run(tries);
    } catch (error) {
      if (signal?.aborted === true || !(error instanceof MediaServiceError) || !isRetryable(error))
        throw error;
      const last = giveUp?.(error);
      if (last !== undefined) throw last;
      const delayMs = retryDelayMs(error, tries);
      failedAt ??= clock.now();
      const giveUpAt = failedAt + (typeof retryForMs === 'number' ? retryForMs : retryForMs(error));
      if (tries >= MIN_TRIES && clock.now() + delayMs > giveUpAt) throw error;
      onRetry?.(error);
      await clock.sleep(delayMs, signal);
    }
  }
}
