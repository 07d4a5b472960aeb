import type { Clock } from '../../clock';

/** What a part's body asks before bytes leave. */
export interface Pace {
  /** Most bytes of one `take`: small enough that all who wait get on within a fraction of a second. */
  sliceBytes(): number;
  /** Resolves when so many bytes may leave, in the order of asking. Rejects with the signal's reason when it aborts. */
  take(bytes: number, signal: AbortSignal): Promise<void>;
}

export interface BandwidthLimiter extends Pace {
  bytesPerSecond(): number;
  /** Holds for all that is taken from now on. */
  setRate(bytesPerSecond: number): void;
}

/** What may leave at once after a time in which nothing left. */
const BURST_MS = 250;
const SLICES_PER_SECOND = 32;
const LARGEST_SLICE_BYTES = 64 * 1024;
const SMALLEST_SLICE_BYTES = 1024;

/**
 * Lets bytes leave at a rate: over any span of time at most `bytesPerSecond` × (the span + 0.25 s), and one slice. It divides the rate among
 * those who ask by the order of asking, so that each of n busy bodies gets a n-th. A take that aborts loses its turn, not the others theirs.
 */
export function createBandwidthLimiter(bytesPerSecond: number, clock: Clock): BandwidthLimiter {
  let rate = bytesPerSecond;
  /** Epoch ms from which on the next bytes may leave. */
  let free = Number.NEGATIVE_INFINITY;
  return {
    bytesPerSecond: () => rate,
    setRate(next) {
      rate = next;
    },
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

/** What has to keep several paces keeps each of them. */
export function jointPace(paces: readonly Pace[]): Pace {
  return {
    sliceBytes: () => Math.min(...paces.map((pace) => pace.sliceBytes())),
    async take(bytes, signal) {
      for (const pace of paces) await pace.take(bytes, signal);
    },
  };
}
