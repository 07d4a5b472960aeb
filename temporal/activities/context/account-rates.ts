import type { AccountLimits } from '../../../api/account/account';
import type { Clock } from '../../../api/clock';
import { MediaServiceError } from '../../../api/errors';
import type { PartQueue } from './part-bandwidth';
import { createRateLimiter } from './rate-limiter';
import type { RateRequest } from './rate-limiter';

/** Keeps the calls and parts of each account within its limits, across all workers. */
export interface AccountRates {
  /** Resolves when a step that calls the service may begin. Rejects with `WorkerBusy` if that would take long. */
  admitCall(accountId: string, signal: AbortSignal): Promise<() => void>;
  /** The same for a part. `batch`: the fairness key of the part's task. */
  admitPart(part: RatedPart, signal: AbortSignal): Promise<void>;
}

interface RatedPart extends PartQueue {
  readonly partNumber: number;
  readonly batch: string | undefined;
  /** Longest wait for a turn. Default: that of a part in a run of parts. */
  readonly maxWaitMs?: number;
}

interface AccountRateParts {
  readonly clock: Clock;
  readonly limitsOf: (accountId: string) => AccountLimits;
  /** Number of workers that take activities of the account's control queue, or of a transfer queue. */
  readonly workersOf: (accountId: string, queue?: string) => Promise<number>;
}

const NO_RELEASE = (): void => undefined;

export function createAccountRates({ clock, limitsOf, workersOf }: AccountRateParts): AccountRates {
  const rates = createRateLimiter(clock);
  return {
    async admitCall(accountId, signal) {
      const { callsPerSecond: perSecond } = limitsOf(accountId);
      if (perSecond === undefined) return NO_RELEASE;
      const workers = await workersOf(accountId);
      const tooLong = (ms: number): MediaServiceError => busy('a call of the service', 'callsPerSecond', ms);
      await rates.acquire([{ key: `calls ${accountId}`, perSecond, workers, tooLong }], signal);
      return NO_RELEASE;
    },
    async admitPart({ accountId, queue, batch, partNumber, maxWaitMs }, signal) {
      const { partsPerSecond, batchPartsPerSecond } = limitsOf(accountId);
      const ofBatch = batch === undefined || batch === '' ? undefined : batchPartsPerSecond;
      if (partsPerSecond === undefined && ofBatch === undefined) return;
      const workers = await workersOf(accountId, queue);
      const limit = (
        name: keyof AccountLimits,
        perSecond: number | undefined,
        key: string,
      ): RateRequest[] => {
        const tooLong = (ms: number): MediaServiceError => busy(`part ${partNumber}`, name, ms);
        return perSecond === undefined ? [] : [{ key, perSecond, workers, tooLong }];
      };
      const limits = [
        ...limit('partsPerSecond', partsPerSecond, `parts ${queue}`),
        ...limit('batchPartsPerSecond', ofBatch, `parts ${queue} ${batch ?? ''}`),
      ];
      await rates.acquire(limits, signal, maxWaitMs);
    },
  };
}

function busy(what: string, limit: keyof AccountLimits, retryAfterMs: number): MediaServiceError {
  return new MediaServiceError('WorkerBusy', `${what}: not begun, because too many wait for ${limit}`, {
    operation: what,
    outcome: 'unsent',
    retryAfterMs,
    hint: `It is retried automatically; raise ${limit} of the account, or do less at once.`,
  });
}
