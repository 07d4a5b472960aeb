import { proxyActivities } from '@temporalio/workflow';
import { hostOfSource } from '../../api/upload/sources/source-rules';
import type { WorkerActivities } from '../activities/create-activities';
import { sourceQueue } from '../contract/upload';
import type { IdentifiedSource, IdentifyInput } from '../contract/upload';
import { SECOND_MS } from '../../api/durations';

/**
 * Identifies a source on a worker that can read it, for a start that would join an earlier upload. Its history has one
 * activity.
 */
export function identifySource({ accountId, queuePrefix, source }: IdentifyInput): Promise<IdentifiedSource> {
  const activities = proxyActivities<WorkerActivities>({
    taskQueue: sourceQueue(queuePrefix, accountId, hostOfSource(source)),
    startToCloseTimeout: 15 * SECOND_MS,
    scheduleToCloseTimeout: 15 * SECOND_MS,
    retry: { initialInterval: SECOND_MS },
  });
  return activities.identifySource({ accountId, source });
}
