import type { Clock } from '../../../api/clock';
import { MediaServiceError } from '../../../api/errors';
import { createBandwidthLimiter } from '../../../api/upload/parts/part-rate';
import type { ByteLimiter } from '../../../api/upload/parts/part-rate';
import type { PartInput } from '../../../api/upload/upload-steps';

/** Divides a worker's bandwidth among the parts that it sends. */
export interface PartBandwidth {
  /**
   * Admits a part if enough bandwidth is left, because a part that is too slow would time out. Otherwise throws
   * `WorkerBusy` before anything is sent, so that the part waits without a slot.
   */
  enter(part: Pick<PartInput, 'partNumber' | 'minimumThroughput'>): BandwidthShare;
}

export interface BandwidthShare {
  /** Unset: no limit. */
  readonly byteLimiter?: ByteLimiter;
  leave(): void;
}

/** While other parts are admitted, each part gets at least twice its minimum throughput. */
const SPARE = 2;
const NEXT_TRY_MS = 2_000;

/** `bytesPerSecond`: the limit of this process. Unset: no limit. */
export function createPartBandwidth(bytesPerSecond: number | undefined, clock: Clock): PartBandwidth {
  if (bytesPerSecond === undefined) return { enter: () => ({ leave: () => undefined }) };
  const byteLimiter = createBandwidthLimiter(bytesPerSecond, clock);
  const sent = new Set<object>();
  return {
    enter({ partNumber, minimumThroughput }) {
      // The first part is always admitted, so that the upload continues.
      const isFull = sent.size > 0 && bytesPerSecond < minimumThroughput * SPARE * (sent.size + 1);
      if (isFull) throw noBandwidth(partNumber);
      const share = { byteLimiter, leave: () => void sent.delete(share) };
      sent.add(share);
      return share;
    },
  };
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
