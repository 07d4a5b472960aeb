import { MediaServiceError } from '../errors';

/** Upper bounds of the first delay and of every delay. */
const FIRST_MS = 500;
const MAX_MS = 20_000;

/**
 * Returns the delay before try `attempt + 1`, in ms: a random time below a bound that doubles with every try ("full
 * jitter"). So callers that failed together do not retry together. `attempt` counts from 1. `random`: from [0, 1).
 */
export function fullJitterMs(attempt: number, random = Math.random): number {
  const ceiling = Math.min(MAX_MS, FIRST_MS * 2 ** (Math.max(1, attempt) - 1));
  return Math.floor(random() * ceiling);
}

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
