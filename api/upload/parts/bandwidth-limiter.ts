import type { Clock } from '../../clock';

/** What a part's body asks before bytes leave. */
export interface ByteLimiter {
  /** Max bytes of one `take`: small enough that every waiting body continues within a fraction of a second. */
  sliceBytes(): number;
  /**
   * Resolves when this many bytes may leave, in the order of the calls. Rejects with the signal's reason when it
   * aborts.
   */
  take(bytes: number, signal: AbortSignal): Promise<void>;
}

export interface BandwidthLimiter extends ByteLimiter {
  bytesPerSecond(): number;
}

/** How much time's bytes may leave at once after a pause. */
const BURST_MS = 250;
const SLICES_PER_SECOND = 32;
const LARGEST_SLICE_BYTES = 64 * 1024;
const SMALLEST_SLICE_BYTES = 1024;

/**
 * Lets bytes leave at a rate: over any period at most `bytesPerSecond` × (the period + 0.25 s), plus one slice. It
 * serves calls in their order, so that each of n busy bodies gets an n-th of the rate. An aborted take loses only its
 * own turn.
 */
export function createBandwidthLimiter(rate: number, clock: Clock): BandwidthLimiter {
  /** Epoch ms from which the next bytes may leave. */
  let free = Number.NEGATIVE_INFINITY;
  return {
    bytesPerSecond: () => rate,
    sliceBytes: () =>
      Math.min(LARGEST_SLICE_BYTES, Math.max(SMALLEST_SLICE_BYTES, Math.floor(rate / SLICES_PER_SECOND))),
    async take(bytes, signal) {
      signal.throwIfAborted();
      const now = clock.now();
      const turn = Math.max(free, now - BURST_MS);
      free = turn + (bytes / rate) * 1000;
      if (turn > now) await clock.sleep(Math.ceil(turn - now), signal);
    },
  };
}

/** Combines several rate limits: every one of them applies. */
export function jointLimiter(limiters: readonly ByteLimiter[]): ByteLimiter {
  return {
    sliceBytes: () => Math.min(...limiters.map((limiter) => limiter.sliceBytes())),
    async take(bytes, signal) {
      for (const limiter of limiters) await limiter.take(bytes, signal);
    },
  };
}
