import type { Clock } from '../../../api/clock';
import type { MediaServiceError } from '../../../api/errors';

export interface RateRequest {
  /** Names the limit, such as an account or a host. */
  readonly key: string;
  /** Limit across all workers. */
  readonly perSecond: number;
  /** Number of workers that share the limit, this one included. */
  readonly workers: number;
  /** Makes the error if the wait would be too long. `ms`: the wait beyond the maximum. */
  readonly tooLong: (ms: number) => MediaServiceError;
}

/** Limits how often something may begin, across all workers that share a limit. */
interface RateLimiter {
  /**
   * Resolves when it may begin by all limits. Rejects with the signal's reason when it aborts, and with the error of
   * `tooLong` if a limit would let it wait longer than `maxWaitMs`. It then takes no turn of any limit.
   */
  acquire(limits: readonly RateRequest[], signal: AbortSignal, maxWaitMs?: number): Promise<void>;
}

const MAX_WAIT_MS = 15_000;
const FORGET_MS = 10 * 60_000;

/**
 * Gives this worker its share of each limit, evenly spaced. Unused permits are not saved. So in any period, all
 * workers together begin at most the limit times the period, plus one for each worker.
 */
export function createRateLimiter(clock: Clock): RateLimiter {
  /** The earliest time for the next begin, epoch ms. */
  const next = new Map<string, number>();
  return {
    async acquire(limits, signal, maxWaitMs = MAX_WAIT_MS) {
      const now = clock.now();
      for (const [old, at] of next) if (now - at > FORGET_MS) next.delete(old);
      const due = limits.map((limit) => ({ ...limit, turn: Math.max(next.get(limit.key) ?? now, now) }));
      for (const { turn, tooLong } of due) {
        const late = turn - now - maxWaitMs;
        if (late > 0) throw tooLong(Math.ceil(late));
      }
      // Only by its own turn: a limit for one batch must not delay other batches.
      for (const { key, turn, perSecond, workers } of due) next.set(key, turn + (1000 * workers) / perSecond);
      const turn = Math.max(now, ...due.map((limit) => limit.turn));
      if (turn > now) await clock.sleep(Math.ceil(turn - now), signal);
    },
  };
}
