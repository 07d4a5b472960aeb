import { systemClock } from '../api/clock';

/** More callers than this are forgotten all at once, so that memory stays bounded. */
const MAX_CALLERS = 10_000;

interface RateRules {
  readonly perSecond: number;
  readonly atOnce: number;
}

/** A token bucket for each caller. */
export interface RateLimiter {
  /** Takes one turn. Returns how long the caller must wait if there is none, ms. */
  take(caller: string): number | undefined;
  /** The same without taking one. */
  waitMs(caller: string): number | undefined;
}

export function createRateLimiter({ perSecond, atOnce }: RateRules): RateLimiter {
  const buckets = new Map<string, { turns: number; at: number }>();
  const filled = (caller: string): { turns: number; at: number } => {
    const now = systemClock.now();
    const before = buckets.get(caller);
    if (before === undefined) return { turns: atOnce, at: now };
    const more = (Math.max(0, now - before.at) / 1000) * perSecond;
    return { turns: Math.min(atOnce, before.turns + more), at: now };
  };
  const waitOf = (turns: number): number | undefined =>
    turns >= 1 ? undefined : Math.ceil(((1 - turns) / perSecond) * 1000);
  return {
    waitMs: (caller) => waitOf(filled(caller).turns),
    take(caller) {
      const bucket = filled(caller);
      const waitMs = waitOf(bucket.turns);
      if (buckets.size >= MAX_CALLERS && !buckets.has(caller)) buckets.clear();
      buckets.set(caller, waitMs === undefined ? { ...bucket, turns: bucket.turns - 1 } : bucket);
      return waitMs;
    },
  };
}
