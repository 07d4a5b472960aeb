import { systemClock } from '../api/clock';

/** More callers than this are forgotten all at once, so that memory stays bounded. */
const MAX_CALLERS = 10_000;

interface RateRules {
  readonly perSecond: number;
  readonly atOnce: number;
}

/** A token bucket for each caller. */
export interface RateLimiter {
  /** Counts one request. Returns how long the caller must wait if none is left, ms. */
  take(caller: string): number | undefined;
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
  return {
    take(caller) {
      const bucket = filled(caller);
      const { left } = bucket;
      const waitMs = left >= 1 ? undefined : Math.ceil(((1 - left) / perSecond) * 1000);
      if (buckets.size >= MAX_CALLERS && !buckets.has(caller)) buckets.clear();
      buckets.set(caller, waitMs === undefined ? { ...bucket, left: left - 1 } : bucket);
      return waitMs;
    },
  };
}
