import type { Clock } from '../../../api/clock';
import { MediaServiceError } from '../../../api/errors';
import { createRateLimiter } from './rate-limiter';

/**
 * Max parts that begin per second, by storage host as URLs name it (with its port, unless it is the scheme's default).
 * `*`: each host that is not named.
 */
export type StorageLimits = Readonly<Record<string, number>>;

/** Limits how often parts to a storage host may begin, across all workers that share the limit. */
export interface StorageSlots {
  /**
   * Resolves when the part may begin, at once if its host has no limit. Rejects with `WorkerBusy` if that would take
   * long, so that the part waits without a slot. Rejects with the signal's reason when it aborts.
   */
  take(part: PartToBegin, signal: AbortSignal): Promise<void>;
}

interface PartToBegin {
  readonly url: string;
  readonly partNumber: number;
}

interface StorageSlotsOptions {
  readonly limits: StorageLimits;
  readonly clock: Clock;
  /** Number of workers that share the limits, this one included. */
  readonly workers: () => Promise<number>;
}

/** Each worker keeps within its share of the limits. */
export function createStorageSlots({ limits, clock, workers }: StorageSlotsOptions): StorageSlots {
  const perHost = new Map(Object.entries(limits));
  const rates = createRateLimiter(clock);
  return {
    async take({ url, partNumber }, signal) {
      const { host } = new URL(url);
      const perSecond = perHost.get(host) ?? perHost.get('*');
      if (perSecond === undefined) return;
      const sharing = await workers();
      signal.throwIfAborted();
      const tooLong = (ms: number): MediaServiceError => noTurn(partNumber, host, ms);
      await rates.acquire([{ key: host, perSecond, workers: sharing, tooLong }], signal);
    },
  };
}

function noTurn(partNumber: number, host: string, retryAfterMs: number): MediaServiceError {
  return new MediaServiceError(
    'WorkerBusy',
    `part ${String(partNumber)}: not begun, because too many parts wait for ${host}`,
    {
      operation: `part ${String(partNumber)}`,
      outcome: 'unsent',
      retryAfterMs,
      details: { partNumber },
      hint: 'It is retried automatically; raise the limit of this storage host, or use fewer parts at once.',
    },
  );
}
