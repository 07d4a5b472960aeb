import type { Info } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { isJsonObject } from '../../../api/json';
import { queueKindOf } from '../telemetry/task-facts';
import type { TaskFacts } from '../telemetry/task-facts';
import type { MetricsRegistry } from './registry';

/** What waits, as the only failure that is none. */
const STILL_PROCESSING = 'StillProcessing';
const GIVEN_BACK = 'WorkerBusy';

export interface SeenTask {
  readonly info: Pick<Info, 'activityType' | 'taskQueue' | 'currentAttemptScheduledTimestampMs'>;
  readonly facts: TaskFacts;
}

/** Counts one try of an activity, from its begin to its end; what it returns or throws passes unchanged. */
export async function countedTask<T>(
  metrics: MetricsRegistry,
  { info, facts }: SeenTask,
  run: () => Promise<T>,
): Promise<T> {
  const account = facts.accountId ?? 'none';
  const where = { account, queue: queueKindOf(info) };
  metrics.add('slotsUsed', where);
  metrics.observe('taskWait', where, seconds(Date.now() - info.currentAttemptScheduledTimestampMs));
  try {
    const result = await run();
    noteResult(metrics, account, { activity: info.activityType, result });
    return result;
  } catch (error) {
    noteFailure(metrics, account, { activity: info.activityType, error });
    throw error;
  } finally {
    metrics.add('slotsUsed', where, -1);
  }
}

function noteResult(
  metrics: MetricsRegistry,
  account: string,
  { activity, result }: { readonly activity: string; readonly result: unknown },
): void {
  if (!isJsonObject(result)) return;
  if (activity === 'pollSession') {
    const { status } = result;
    const outcome = typeof status === 'string' ? status.toLowerCase() : 'unknown';
    metrics.add('sessionPolls', { account, outcome });
  }
  if (activity !== 'putPart') return;
  metrics.add('parts', { account, outcome: 'sent' });
  metrics.add('partBytes', { account }, Number(result['bytes']));
  metrics.observe('partDuration', { account }, seconds(Number(result['ms'])));
}

function noteFailure(
  metrics: MetricsRegistry,
  account: string,
  { activity, error }: { readonly activity: string; readonly error: unknown },
): void {
  const code = codeOf(error);
  if (code === STILL_PROCESSING) {
    metrics.add('sessionPolls', { account, outcome: 'still_processing' });
    return;
  }
  const cancelled = code === 'Cancelled';
  if (!cancelled && code !== GIVEN_BACK) metrics.add('activityFailures', { account, activity, code });
  if (activity !== 'putPart') return;
  const outcome = cancelled ? 'cancelled' : code === GIVEN_BACK ? 'given_back' : 'failed';
  metrics.add('parts', { account, outcome });
  if (isTriedAgain(error)) metrics.add('partRetries', { account, code });
}

function codeOf(error: unknown): string {
  if (error instanceof CancelledFailure) return 'Cancelled';
  return error instanceof ApplicationFailure && typeof error.type === 'string' ? error.type : 'Internal';
}

function isTriedAgain(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.nonRetryable !== true;
}

function seconds(ms: number): number {
  return Math.max(0, ms) / 1000;
}
