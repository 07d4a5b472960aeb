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

/** The text in a field of an object in a workflow's input. */
function textIn(input: unknown, outer: string, inner: string): string | undefined {
  const object: unknown = isJsonObject(input) ? input[outer] : undefined;
  const text: unknown = isJsonObject(object) ? object[inner] : undefined;
  return typeof text === 'string' ? text : undefined;
}

function countEnd(input: unknown, { outcome, code }: WorkflowEnd): void {
  const { workflowType, parent } = workflowInfo();
  const account = textIn(input, 'account', 'accountId') ?? 'none';
  const kind = parent === undefined ? 'single' : 'row';
  if (workflowType === UPLOAD_WORKFLOW) metrics.add('uploadsEnded', { account, kind, outcome, code });
  if (workflowType === BATCH_WORKFLOW) metrics.add('batchesEnded', { account, outcome });
  const schedule = workflowType === REPORT_WORKFLOW ? textIn(input, 'schedule', 'id') : undefined;
  if (schedule !== undefined) metrics.set('reportEnd', { account, schedule, outcome }, Date.now() / 1000);
}
