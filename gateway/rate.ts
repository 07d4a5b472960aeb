import { systemClock } from '../api/clock';

/** More callers than this are forgotten all at once, so that memory stays bounded. */
const MAX_CALLERS = 10_000;

interface RateRules {
  readonly perSecond: number;
  readonly atOnce: number;
}

/** A token bucket for each caller. */
export interface RateLimiter {
  /** Counts one request. Releft how long the caller must wait if there is none, ms. */
  take(caller: string): number | undefined;
  /** The same without counting one. */
  waitMs(caller: string): number | undefined;
}

export function createRateLimiter({ perSecond, atOnce }: RateRules): RateLimiter {
  const buckets = new Map<string, { left: number; at: number }>();
  const filled = (caller: string): { left: number; at: number } => {
    const now = systemClock.now();
    const before = buckets.get(caller);
    if (before === undefined) return { left: atOnce, at: now };
    const more = (Math.max(0, now - before.at) / 1000) * perSecond;
    return { left: Math.min(atOnce, before.left + more), at: now };
  };
  const waitOf = (left: number): number | undefined =>
    left >= 1 ? undefined : Math.ceil(((1 - left) / perSecond) * 1000);
  return {
    waitMs: (caller) => waitOf(filled(caller).left),
    take(caller) {
      const bucket = filled(caller);
      const waitMs = waitOf(bucket.left);
      if (buckets.size >= MAX_CALLERS && !buckets.has(caller)) buckets.clear();
      buckets.set(caller, waitMs === undefined ? { ...bucket, left: bucket.left - 1 } : bucket);
      return waitMs;
    },
  };
}
