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

/** Returns whether it is a refusal that counts only if it stays: a gateway's page, or a conflict. */
export function isPassingRefusal(error: unknown): boolean {
  return error instanceof MediaServiceError && error.facts.details?.['passing'] === true;
}

/** A server that answers with one of these statuses will do so again. */
const FINAL_SERVER_STATUSES: ReadonlySet<number> = new Set([501, 505]);

/**
 * Returns whether the same request may succeed when it is sent again. That does not make a repeat *safe*: for a request
 * that is not idempotent, the error's `outcome` decides that. The fact `permanent` overrules the code, both ways. Any
 * error that is not a `MediaServiceError` is not retryable.
 */
export function isRetryable(error: unknown): boolean {
  if (!(error instanceof MediaServiceError)) return false;
  const { status, details } = error.facts;
  if (status === 408) return true;
  if (details?.['permanent'] === true) return false;
  if (status !== undefined && FINAL_SERVER_STATUSES.has(status)) return false;
  return details?.['permanent'] === false || RETRYABLE.has(error.code);
}
