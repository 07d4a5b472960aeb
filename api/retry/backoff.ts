export interface BackoffBounds {
  /** Upper bound of the first delay, ms. Default 500. */
  readonly baseMs?: number;
  /** Upper bound of every delay, ms. Default 20,000. */
  readonly maxMs?: number;
  /** A number in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * Returns the delay before try `attempt + 1`, in ms: a random time below a bound that doubles with every try ("full
 * jitter"). So callers that failed together do not retry together. `attempt` counts from 1.
 */
export function fullJitterMs(attempt: number, bounds: BackoffBounds = {}): number {
  const { baseMs = 500, maxMs = 20_000, random = Math.random } = bounds;
  const ceiling = Math.min(maxMs, baseMs * 2 ** (Math.max(1, attempt) - 1));
  return Math.floor(random() * ceiling);
}
