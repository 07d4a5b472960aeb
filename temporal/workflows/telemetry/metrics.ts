import { isCancellation, metricMeter, workflowInfo } from '@temporalio/workflow';
import { TemporalFailure } from '@temporalio/common';
import { isJsonObject } from '../../../api/json';
import { BATCH_WORKFLOW } from '../../contract/batch';
import { REPORT_WORKFLOW } from '../../contract/failure-report';
import { UPLOAD_WORKFLOW } from '../../contract/upload';
import { stepFailureOf } from '../../failure';
import { metricsOver } from '../../metrics';

/** Counted by the worker that runs the workflow. The SDK adds labels: the namespace, the queue and the workflow's type. */
export const metrics = metricsOver(metricMeter);

export interface WorkflowEnd {
  readonly outcome: 'completed' | 'failed' | 'cancelled';
  /** Code of the error, or `none`. */
  readonly code: string;
}

/** Undefined: the error begins a new run, or fails only a task, which is retried. */
export function endOfError(error: unknown): WorkflowEnd | undefined {
  if (isCancellation(error)) return { outcome: 'cancelled', code: 'Cancelled' };
  return error instanceof TemporalFailure
    ? { outcome: 'failed', code: stepFailureOf(error).code }
    : undefined;
}

export function accountIn(input: unknown): string | undefined {
  const account: unknown = isJsonObject(input) ? input['account'] : undefined;
  const id: unknown = isJsonObject(account) ? account['accountId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

export function countEnd(input: unknown, { outcome, code }: WorkflowEnd): void {
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
