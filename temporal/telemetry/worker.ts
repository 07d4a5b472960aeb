import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import type { MetricMeter } from '@temporalio/common';
import type { WorkerOptions } from '@temporalio/worker';
import type { CallObserver } from '../../api/service/create-service';
import { isJsonObject } from '../../api/json';
import { countFailure } from './activities';
import { metricsOver } from '../metrics';
import type { Metrics } from '../metrics';
import { BATCH_WORKFLOW } from '../batch/types';
import { controlQueue, DEFAULT_QUEUE_PREFIX, SEND_PARTS, UPLOAD_WORKFLOW } from '../upload/types';
import { ERROR_CODES } from '../../api/errors';
import type { WorkerConfig } from '../worker/worker-config';

/** Counts the requests of an account's service. */
export function observerOf(metrics: Metrics, account: string): CallObserver {
  return (operation) => {
    const from = performance.now();
    return (status) => {
      metrics.add('serviceCalls', { account, operation, status: String(status ?? 'none') });
      metrics.observe('serviceCallDuration', { account, operation }, (performance.now() - from) / 1000);
    };
  };
}

/** Count failed activities, and add their subjects to the log. */
export function interceptorsOf(metrics: Metrics): NonNullable<WorkerOptions['interceptors']> {
  return {
    activity: [
      ({ info }) => {
        let facts: ReturnType<typeof taskFactsOf> = {};
        return {
          inbound: {
            async execute(input, next) {
              facts = taskFactsOf(input.args);
              try {
                return await next(input);
              } catch (error) {
                const { activityType: step } = info;
                // Each of its parts is counted.
                if (step !== SEND_PARTS)
                  countFailure({ metrics, account: facts.accountId ?? 'none', step }, codeOf(error));
                throw error;
              }
            },
          },
          outbound: { getLogAttributes: (input, next) => next({ ...input, ...facts }) },
        };
      },
    ],
  };
}

const FACTS = ['accountId', 'uploadId', 'batchId'] as const;

/** The subject of an activity, for logs and metrics: names in its input, never content. */
function taskFactsOf([input]: readonly unknown[]): Partial<Record<(typeof FACTS)[number], string>> {
  if (!isJsonObject(input)) return {};
  const named = FACTS.map((name) => [name, input[name]] as const);
  return Object.fromEntries(named.filter(([, value]) => typeof value === 'string' && value !== ''));
}

/** A step that is only tried too early has not failed. */
function codeOf(error: unknown): string {
  if (error instanceof CancelledFailure) return 'Cancelled';
  if (!(error instanceof ApplicationFailure)) return 'Internal';
  return error.category === ApplicationFailureCategory.BENIGN ? 'WorkerBusy' : (error.type ?? 'Internal');
}

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
