import { isCancellation, metricMeter, workflowInfo } from '@temporalio/workflow';
import { TemporalFailure } from '@temporalio/common';
import { isJsonObject, type JsonObject } from '../../../api/json';
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
  const schedule = isJsonObject(input) ? regularScheduleOf(input) : undefined;
  if (workflowType === REPORT_WORKFLOW && schedule !== undefined)
    metrics.set('reportEnd', { account, schedule, outcome }, Date.now() / 1000);
}

/** Only regular runs, because tests and backfills say nothing about the schedule. */
function regularScheduleOf({ schedule, run }: JsonObject): string | undefined {
  if (!isJsonObject(schedule) || !isJsonObject(run) || run['kind'] !== 'next') return undefined;
  const id: unknown = schedule['id'];
  return typeof id === 'string' ? id : undefined;
}
