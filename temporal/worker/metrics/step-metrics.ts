import { MediaServiceError } from '../../../api/errors';
import { isJsonObject } from '../../../api/json';
import { isRetryable } from '../../../api/retry/retryable';
import { CancelledFailure } from '@temporalio/common';
import type { WatchedStep } from '../../activities/context/watch-step';
import { NotYet } from '../../activities/groups/group-step';
import type { MetricsRegistry } from './registry';

const REQUEUED = 'WorkerBusy';

/** Counts one try of a step for one input of a group. The result or error passes unchanged. */
export async function countedStep<T>(
  metrics: MetricsRegistry,
  { step, facts }: WatchedStep,
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
  readonly metrics: MetricsRegistry;
  readonly step: string;
  readonly account: string;
}

function noteResult({ metrics, step, account }: Seen, result: unknown): void {
  if (!isJsonObject(result)) return;
  if (step === 'pollSession') {
    const { status } = result;
    const outcome = typeof status === 'string' ? status.toLowerCase() : 'unknown';
    metrics.add('sessionPolls', { account, outcome });
  }
  if (step !== 'sendPart') return;
  metrics.add('parts', { account, outcome: 'sent' });
  metrics.add('partBytes', { account }, Number(result['bytes']));
  metrics.observe('partDuration', { account }, Math.max(0, Number(result['ms'])) / 1000);
}

function noteFailure({ metrics, step, account }: Seen, error: unknown): void {
  if (error instanceof NotYet) {
    metrics.add('sessionPolls', { account, outcome: 'still_processing' });
    return;
  }
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
