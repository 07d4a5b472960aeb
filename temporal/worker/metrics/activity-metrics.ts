import type { Info } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { isUploadGroup } from '../../contract/upload-groups';
import { queueKindOf } from '../telemetry/task-facts';
import type { TaskFacts } from '../telemetry/task-facts';
import type { MetricsRegistry } from './registry';

interface SeenTask {
  readonly info: Pick<Info, 'activityType' | 'taskQueue' | 'currentAttemptScheduledTimestampMs'>;
  readonly facts: TaskFacts;
}

/**
 * Counts one try of an activity, from start to end. The result or error passes unchanged. `countedStep` counts the
 * tries within a group one by one.
 */
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
    return await run();
  } catch (error) {
    const { activityType: activity } = info;
    const code = codeOf(error);
    if (code !== 'Cancelled' && !isUploadGroup(activity))
      metrics.add('activityFailures', { account, activity, code });
    throw error;
  } finally {
    metrics.add('slotsUsed', where, -1);
  }
}

function codeOf(error: unknown): string {
  if (error instanceof CancelledFailure) return 'Cancelled';
  return error instanceof ApplicationFailure && typeof error.type === 'string' ? error.type : 'Internal';
}

function seconds(ms: number): number {
  return Math.max(0, ms) / 1000;
}
