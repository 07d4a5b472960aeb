import { TemporalFailure } from '@temporalio/common';
import { isCancellation, metricMeter, workflowInfo } from '@temporalio/workflow';
import type { WorkflowInterceptors } from '@temporalio/workflow';
import { isJsonObject } from '../../api/json';
import { BATCH_WORKFLOW } from '../batch/types';
import { REPORT_WORKFLOW } from '../reports/types';
import { UPLOAD_WORKFLOW } from '../upload/types';
import { stepFailureOf } from '../failure';
import { metricsOver } from '../metrics';

/**
 * Loaded into every workflow. Counts how the workflow ended. Creates no commands, so that histories of any version
 * replay with it and without it.
 */
export function interceptors(): WorkflowInterceptors {
  return {
    inbound: [
      {
        async execute(input, next) {
          try {
            const result = await next(input);
            countEnd(input.args[0], { outcome: 'completed', code: 'none' });
            return result;
          } catch (error) {
            const end = endOfError(error);
            if (end !== undefined) countEnd(input.args[0], end);
            throw error;
          }
        },
      },
    ],
  };
}

/** Counted by the worker that runs the workflow. The SDK adds labels: the namespace, the queue and the workflow's type. */
export const metrics = metricsOver(metricMeter);

interface WorkflowEnd {
  readonly outcome: 'completed' | 'failed' | 'cancelled';
  /** Code of the error, or `none`. */
  readonly code: string;
}

/** Undefined: the error begins a new run, or fails only a task, which is retried. */
function endOfError(error: unknown): WorkflowEnd | undefined {
  if (isCancellation(error)) return { outcome: 'cancelled', code: 'Cancelled' };
  return error instanceof TemporalFailure
    ? { outcome: 'failed', code: stepFailureOf(error).code }
    : undefined;
}

function accountIn(input: unknown): string | undefined {
  const account: unknown = isJsonObject(input) ? input['account'] : undefined;
  const id: unknown = isJsonObject(account) ? account['accountId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

function countEnd(input: unknown, { outcome, code }: WorkflowEnd): void {
  const { workflowType, parent } = workflowInfo();
  const account = accountIn(input) ?? 'none';
  const kind = parent === undefined ? 'single' : 'row';
  if (workflowType === UPLOAD_WORKFLOW) metrics.add('uploadsEnded', { account, kind, outcome, code });
  if (workflowType === BATCH_WORKFLOW) metrics.add('batchesEnded', { account, outcome });
  const schedule = workflowType === REPORT_WORKFLOW ? scheduleIn(input) : undefined;
  if (schedule !== undefined) metrics.set('reportEnd', { account, schedule, outcome }, Date.now() / 1000);
}

function scheduleIn(input: unknown): string | undefined {
  const schedule: unknown = isJsonObject(input) ? input['schedule'] : undefined;
  const id: unknown = isJsonObject(schedule) ? schedule['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
