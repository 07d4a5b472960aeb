import { systemClock } from '../api/clock';

/** More callers than this are forgotten all at once, so that memory stays bounded. */
const MAX_CALLERS = 10_000;

/**
 * A token bucket for each caller. The function counts one request, and returns how long the caller must wait if none is
 * left, ms.
 */
export function createRateLimiter(perSecond: number, atOnce: number): (caller: string) => number | undefined {
  const buckets = new Map<string, { readonly left: number; readonly at: number }>();
  return (caller) => {
    const now = systemClock.now();
    const { left: before, at } = buckets.get(caller) ?? { left: atOnce, at: now };
    const left = Math.min(atOnce, before + (Math.max(0, now - at) / 1000) * perSecond);
    if (buckets.size >= MAX_CALLERS && !buckets.has(caller)) buckets.clear();
    buckets.set(caller, { left: left >= 1 ? left - 1 : left, at: now });
    return left >= 1 ? undefined : Math.ceil(((1 - left) / perSecond) * 1000);
  };
}
