import type { Clock } from '../../../api/clock';
import { MediaServiceError } from '../../../api/errors';
import { createBandwidthLimiter, jointLimiter } from '../../../api/upload/parts/part-rate';
import type { BandwidthLimiter, ByteLimiter } from '../../../api/upload/parts/part-rate';
import type { PartInput } from '../../../api/upload/upload-steps';

/** Divides a worker's bandwidth, and that of each batch on it, among the parts that it sends. */
export interface PartBandwidth {
  /**
   * Admits a part if enough bandwidth is left, because a part that is too slow would time out. Otherwise throws
   * `WorkerBusy` before anything is sent, so that the part waits without a slot.
   */
  enter(part: BandwidthNeed): BandwidthShare;
}

export type BandwidthNeed = Pick<PartInput, 'partNumber' | 'minimumThroughput' | 'bandwidth'>;

export interface BandwidthShare {
  /** Unset: no limit. */
  readonly byteLimiter?: ByteLimiter;
  leave(): void;
}

interface BandwidthParts {
  /** Limit of this process. Unset: no limit. */
  readonly bytesPerSecond?: number | undefined;
  readonly clock: Clock;
  /** Time that a part waited, ms. */
  readonly onWaited?: (ms: number) => void;
}

/** While other parts are admitted, each part gets at least twice its minimum throughput. */
const SPARE = 2;
const NEXT_TRY_MS = 2_000;
/** A group is forgotten after this time without parts. */
const FORGET_MS = 10 * 60_000;

interface Lane {
  readonly limiter: BandwidthLimiter;
  parts: number;
  lastUsed: number;
}

export function createPartBandwidth({ bytesPerSecond, clock, onWaited }: BandwidthParts): PartBandwidth {
  const own = bytesPerSecond === undefined ? [] : [laneOf(bytesPerSecond, clock)];
  const groups = new Map<string, Lane>();

  function groupOf({ bandwidth }: BandwidthNeed): Lane[] {
    if (bandwidth === undefined) return [];
    const lane = groups.get(bandwidth.group) ?? laneOf(bandwidth.bytesPerSecond, clock);
    lane.lastUsed = clock.now();
    groups.set(bandwidth.group, lane);
    for (const [name, { parts, lastUsed }] of groups) {
      if (parts === 0 && clock.now() - lastUsed > FORGET_MS) groups.delete(name);
    }
    return [lane];
  }

  function limiterOf(lanes: readonly Lane[]): ByteLimiter {
    const joint = jointLimiter(lanes.map(({ limiter }) => limiter));
    return {
      sliceBytes: () => joint.sliceBytes(),
      async take(bytes, signal) {
        const from = clock.now();
        await joint.take(bytes, signal);
        onWaited?.(clock.now() - from);
      },
    };
  }

  return {
    enter(part) {
      const lanes = [...own, ...groupOf(part)];
      if (lanes.some((lane) => isFull(lane, part.minimumThroughput))) throw noBandwidth(part.partNumber);
      for (const lane of lanes) lane.parts += 1;
      let left = false;
      return {
        ...(lanes.length === 0 ? {} : { byteLimiter: limiterOf(lanes) }),
        leave() {
          if (left) return;
          left = true;
          for (const lane of lanes) lane.parts -= 1;
        },
      };
    },
  };
}

function laneOf(bytesPerSecond: number, clock: Clock): Lane {
  return { limiter: createBandwidthLimiter(bytesPerSecond, clock), parts: 0, lastUsed: clock.now() };
}

/** The first part is always admitted, so that the upload continues. */
function isFull({ limiter, parts }: Lane, minimumThroughput: number): boolean {
  return parts > 0 && limiter.bytesPerSecond() < minimumThroughput * SPARE * (parts + 1);
}

function noBandwidth(partNumber: number): MediaServiceError {
  return new MediaServiceError(
    'WorkerBusy',
    `part ${String(partNumber)}: not begun, because the running parts use all the allowed bandwidth`,
    {
      operation: `part ${String(partNumber)}`,
      outcome: 'unsent',
      retryAfterMs: NEXT_TRY_MS,
      details: { partNumber },
      hint: 'It is retried automatically; raise the bandwidth limit, or use fewer parts at once.',
    },
  );
}
