export interface BackoffBounds {
  /** Ceiling of the first delay, ms. Default 500. */
  readonly baseMs?: number;
  /** Ceiling of every delay, ms. Default 20,000. */
  readonly maxMs?: number;
  /** A number in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * The delay before try `attempt + 1`, in ms: anything between 0 and a ceiling that doubles with every try ("full jitter"), so
 * that many callers who failed together do not come back together. `attempt` counts from 1.
 */
export function fullJitterMs(attempt: number, bounds: BackoffBounds = {}): number {
  const { baseMs = 500, maxMs = 20_000, random = Math.random } = bounds;
  const ceiling = Math.min(maxMs, baseMs * 2 ** (Math.max(1, attempt) - 1));
  return Math.floor(random() * ceiling);
}
