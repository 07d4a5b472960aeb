import { CancelledFailure } from '@temporalio/common';
import { MediaServiceError } from '../../api/errors';
import { given, isJsonObject } from '../../api/json';
import { isRetryable } from '../../api/retry';
import type { Metrics } from '../metrics';

const REQUEUED = 'WorkerBusy';

/** Counts one try of a step, of `sendPart` for each part. The result or error passes unchanged. */
export async function countedStep<T>(
  metrics: Metrics,
  { step, facts }: CountedStep,
  run: () => Promise<T>,
): Promise<T> {
  const seen = { metrics, step, account: facts.accountId ?? 'none' };
  try {
    const result = await run();
    noteResult(seen, result);
    return result;
  } catch (error) {
    noteFailure(seen, error);
    throw error;
  }
}

interface Seen {
  readonly metrics: Metrics;
  readonly step: string;
  readonly account: string;
}

function noteResult({ metrics, step, account }: Seen, result: unknown): void {
  if (!isJsonObject(result)) return;
  if (step === 'pollSession') {
    const { done, session = result } = result;
    const status: unknown = isJsonObject(session) ? session['status'] : undefined;
    const ended = typeof status === 'string' ? status.toLowerCase() : 'unknown';
    metrics.add('sessionPolls', { account, outcome: done === false ? 'still_processing' : ended });
  }
  if (step !== 'sendPart') return;
  metrics.add('parts', { account, outcome: 'sent' });
  metrics.add('partBytes', { account }, Number(result['bytes']));
  metrics.observe('partDuration', { account }, Number(result['ms']) / 1000);
}

function noteFailure({ metrics, step, account }: Seen, error: unknown): void {
  const code = codeOf(error);
  const cancelled = code === 'Cancelled';
  if (!cancelled && code !== REQUEUED) metrics.add('activityFailures', { account, activity: step, code });
  if (step !== 'sendPart') return;
  const outcome = cancelled ? 'cancelled' : code === REQUEUED ? 'requeued' : 'failed';
  metrics.add('parts', { account, outcome });
  if (!cancelled && isRetryable(error)) metrics.add('partRetries', { account, code });
}

function codeOf(error: unknown): string {
  if (error instanceof CancelledFailure) return 'Cancelled';
  return error instanceof MediaServiceError ? error.code : 'Internal';
}

/** The subject of an activity, for logs and metrics: names and numbers, never content. */
export interface TaskFacts {
  readonly accountId?: string;
  readonly uploadId?: string;
  readonly partNumber?: number;
  readonly batchId?: string;
}

/** Reads the facts from an activity's input, as far as it contains them. */
export function taskFactsOf([input]: readonly unknown[]): TaskFacts {
  if (!isJsonObject(input)) return {};
  const [accountId, uploadId, batchId] = ['accountId', 'uploadId', 'batchId'].map((name) =>
    textOf(input[name]),
  );
  return given({ accountId, uploadId, batchId });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** One try of a step. */
interface CountedStep {
  /** The name of the step in `UploadSteps`. */
  readonly step: string;
  readonly facts: TaskFacts;
}
