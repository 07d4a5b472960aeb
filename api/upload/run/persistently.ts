import type { Clock } from '../../clock';
import { MediaServiceError } from '../../errors';
import { retryDelayMs } from '../../retry/retry-delay';
import { isRetryable } from '../../retry/retryable';

export interface Persistence {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** Time since the first failure, ms; a function decides by the last error. */
  readonly patienceMs: number | ((error: MediaServiceError) => number);
  /** A try failed and another one follows. */
  readonly onRetry?: (error: MediaServiceError) => void;
  /** The error to end with at once, whatever patience is left; undefined: none. */
  readonly giveUp?: (error: MediaServiceError) => MediaServiceError | undefined;
}

/** Patience alone would give up on work whose every try is long. */
const LEAST_TRIES = 5;

/**
 * Repeats what fails in a way that passes, with full-jitter backoff and Retry-After: `LEAST_TRIES` times at least, and on until the patience is at an
 * end. `tries` counts from 1. Rejects with the last error, what `giveUp` makes of it, or the signal's reason.
 */
export async function persistently<T>(
  { clock, signal, patienceMs, onRetry, giveUp }: Persistence,
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
      const giveUpAt = failedAt + (typeof patienceMs === 'number' ? patienceMs : patienceMs(error));
      if (tries >= LEAST_TRIES && clock.now() + delayMs > giveUpAt) throw error;
      onRetry?.(error);
      await clock.sleep(delayMs, signal);
    }
  }
}
