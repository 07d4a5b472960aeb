import { MediaServiceError } from '../errors';
import type { ErrorCode } from '../errors';

const RETRYABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'RateLimited',
  'ServiceFailed',
  'Transport',
  'SourceUnavailable',
  'StorageBusy',
  'PartStalled',
  'PartCorrupted',
  'CompleteAmbiguous',
  'WorkerBusy',
  'NoWorker',
  'TemporalUnreachable',
  'AccountNotServed',
  'InputTooNew',
]);

/** Statuses of a server that will say the same the next time. */
const FINAL_SERVER_STATUSES: ReadonlySet<number> = new Set([501, 505]);

/**
 * Whether the same request can succeed when it is sent again. It does not say that repeating is *safe*: for a request that is not
 * idempotent the error's `outcome` decides that. The fact `permanent` overrules what the code says, both ways. Anything that is no
 * `MediaServiceError` is not retryable.
 */
export function isRetryable(error: unknown): boolean {
  if (!(error instanceof MediaServiceError)) return false;
  const { status, details } = error.facts;
  if (status === 408) return true;
  if (details?.['permanent'] === true) return false;
  if (status !== undefined && FINAL_SERVER_STATUSES.has(status)) return false;
  return details?.['permanent'] === false || RETRYABLE.has(error.code);
}
