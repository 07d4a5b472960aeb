import type { Clock } from '../../../api/clock';
import type { MediaServiceError } from '../../../api/errors';

export interface RateRequest {
  /** What is limited. */
  readonly key: string;
  /** Over all workers. */
  readonly perSecond: number;
  /** Workers that share the limit, this one included. */
  readonly workers: number;
  /** Makes the error if the wait would be too long, ms beyond the longest. */
  readonly tooLong: (ms: number) => MediaServiceError;
}

/** Lets things begin so often, over all workers that share a limit. */
export interface RateLimiter {
  /** Resolves when it may begin. Rejects with `tooLong`'s error if that would take long, and with the signal's reason when it aborts. */
  acquire(request: RateRequest, signal: AbortSignal): Promise<void>;
}

const MAX_WAIT_MS = 15_000;
const FORGET_MS = 10 * 60_000;

/**
 * This worker's share of each limit, evenly spaced: nothing is saved up, so that over any span all workers together begin at most the limit × the span, and one
 * more each.
 */
export function createRateLimiter(clock: Clock): RateLimiter {
  /** When the next one may begin, epoch ms. */
  const next = new Map<string, number>();
  return {
    async acquire({ key, perSecond, workers, tooLong }, signal) {
      const now = clock.now();
      for (const [old, at] of next) if (now - at > FORGET_MS) next.delete(old);
      const turn = Math.max(next.get(key) ?? now, now);
      if (turn - now > MAX_WAIT_MS) throw tooLong(Math.ceil(turn - now - MAX_WAIT_MS));
      next.set(key, turn + (1000 * workers) / perSecond);
      if (turn > now) await clock.sleep(Math.ceil(turn - now), signal);
    },
  };
}
