import type { Clock } from '../../clock';
import { Slots } from '../../slots';
import type { Part } from '../plan-parts';

/** Decides whether a part may go now, and how fast. Nothing else makes a part wait before its first byte. */
export interface PartAdmission {
  /**
   * Resolves when the part may be sent. Rejects with `WorkerBusy` if that would take long, and with the signal's reason
   * when it aborts.
   */
  enter(part: AskingPart, signal: AbortSignal): Promise<Admitted>;
}

/** `url`: an address of its storage; another one may replace it. */
export interface AskingPart extends Pick<Part, 'partNumber' | 'bytes'> {
  readonly url: string;
}

export interface Admitted {
  /** Unset: its bytes may leave as fast as they can. */
  readonly byteLimiter?: ByteLimiter;
  /** Whether no other part may go to its storage at this moment. */
  isAlone(): boolean;
  /** Call it once, when the part has ended. */
  leave(outcome: PermitOutcome): void;
}

/** How a permit's work ended. `busy`: storage answered 429 or 503. `slow`: the line stalled. */
export type PermitOutcome = 'ok' | 'busy' | 'slow' | 'failed';

export interface AimdLimiter {
  /**
   * Resolves in the order of the calls, with a function to call once when the work has ended. Rejects with the signal's
   * reason when it aborts.
   */
  acquire(signal?: AbortSignal): Promise<(outcome: PermitOutcome) => void>;
  /** Max permits at once, at this moment. */
  limit(): number;
}

const ROUNDS_AFTER_SLOW = 8;

/**
 * Lets as many run at once as the other side and the line can handle. It starts without a limit. After each `busy` or
 * `slow`, the limit becomes half of the running permits. Each round of `ok`s adds one. After `slow`, the first one takes
 * eight rounds, because a line stays slow for longer than storage stays busy; each further one takes half as many, so
 * that the way back is not much longer. The limit never goes below 1. Work that began
 * before the last decrease causes no further decrease, so that one burst of 503s halves the limit only once.
 * `max`: permits at once, at this moment. Default: no limit until the first `busy`.
 */
export function createAimdLimiter(max = () => Infinity): AimdLimiter {
  // Infinity: only `max` limits.
  let limit = Infinity;
  let epoch = 0;
  let roundsToGrow = 1;
  const current = (): number => Math.max(1, Math.floor(Math.min(limit, max())));
  const slots = new Slots(current);

  function adapt(outcome: PermitOutcome, begunIn: number): void {
    const grown = limit + 1 / (limit * roundsToGrow);
    if (outcome === 'ok') {
      if (Math.floor(grown) > limit) roundsToGrow = Math.max(1, roundsToGrow / 2);
      limit = grown < max() ? grown : Infinity;
    }
    if (outcome === 'ok' || outcome === 'failed' || begunIn !== epoch) return;
    roundsToGrow = outcome === 'slow' ? ROUNDS_AFTER_SLOW : 1;
    limit = Math.max(1, slots.used / 2);
    epoch += 1;
  }

  return {
    limit: current,
    async acquire(signal) {
      const leave = await slots.enter(signal);
      const begunIn = epoch;
      return (outcome) => {
        adapt(outcome, begunIn);
        leave();
      };
    },
  };
}

/** Admits parts by one limiter for each storage origin. */
export interface AimdLimiters extends PartAdmission {
  /** The limit of each origin at this moment. */
  limits(): ReadonlyMap<string, number>;
}

/** Keep one of these per process. */
export function createAimdLimiters(max?: () => number): AimdLimiters {
  const byOrigin = new Map<string, AimdLimiter>();
  return {
    async enter({ url }, signal) {
      const { origin } = new URL(url);
      const limiter = byOrigin.get(origin) ?? createAimdLimiter(max);
      byOrigin.set(origin, limiter);
      return { leave: await limiter.acquire(signal), isAlone: () => limiter.limit() === 1 };
    },
    limits: () => new Map([...byOrigin].map(([origin, limiter]) => [origin, limiter.limit()])),
  };
}

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
export function createBandwidthLimiter(rate: number, clock: Clock): ByteLimiter {
  /** Epoch ms from which the next bytes may leave. */
  let free = Number.NEGATIVE_INFINITY;
  return {
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
