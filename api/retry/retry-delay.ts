import { fullJitterMs } from './backoff';
import { MediaServiceError } from '../errors';

/**
 * Returns how long to wait, in ms, after try `attempt` (from 1) failed: the time that the server asked for, plus
 * jitter.
 */
export function retryDelayMs(error: unknown, attempt: number): number {
  const asked = error instanceof MediaServiceError ? (error.facts.retryAfterMs ?? 0) : 0;
  return asked + fullJitterMs(attempt);
}

/** The longest wait without asking the caller, ms. */
const SHORT_WAIT_MS = 5_000;

/** Returns whether the server asked for such a long wait that the caller must decide about it. */
export function asksForLongWait(error: unknown): boolean {
  return error instanceof MediaServiceError && (error.facts.retryAfterMs ?? 0) > SHORT_WAIT_MS;
}
