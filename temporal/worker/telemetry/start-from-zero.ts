import type { MetricMeter } from '@temporalio/common';
import { BATCH_WORKFLOW } from '../../contract/batch';
import { controlQueue, DEFAULT_QUEUE_PREFIX, UPLOAD_WORKFLOW } from '../../contract/upload';
import { ERROR_CODES } from '../../failure';
import { metricsOver, type Metrics } from '../../metrics';
import type { WorkerConfig } from '../worker-config';

/**
 * Starts counters of each account that alerts use at 0. If a counter appeared with its first count, an alert would see no
 * increase. Workflows count with the labels that the SDK adds to theirs, activities without.
 */
export function startFromZero(
  meter: MetricMeter,
  { temporal, queuePrefix = DEFAULT_QUEUE_PREFIX }: Pick<WorkerConfig, 'temporal' | 'queuePrefix'>,
  accounts: Iterable<string>,
): void {
  const byActivities = metricsOver(meter);
  for (const account of accounts) {
    const taskQueue = controlQueue(queuePrefix, account);
    const byWorkflows = (workflowType: string): Metrics =>
      metricsOver(meter.withTags({ namespace: temporal.namespace, taskQueue, workflowType }));
    byWorkflows(BATCH_WORKFLOW).add('batchPauses', { account }, 0);
    const uploads = byWorkflows(UPLOAD_WORKFLOW);
    for (const code of ['none', ...ERROR_CODES]) {
      const outcome = code === 'none' ? 'completed' : code === 'Cancelled' ? 'cancelled' : 'failed';
      byActivities.add('uploadsEnded', { account, kind: 'row', outcome, code }, 0);
      for (const kind of ['single', 'row']) uploads.add('uploadsEnded', { account, kind, outcome, code }, 0);
    }
  }
}
