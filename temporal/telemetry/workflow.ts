import { defaultPayloadConverter, TemporalFailure } from '@temporalio/common';
import { isCancellation, metricMeter, proxySinks, workflowInfo } from '@temporalio/workflow';
import type { WorkflowExecuteInput, WorkflowInterceptors } from '@temporalio/workflow';
import { given, isJsonObject } from '../../api/json';
import { traceparentIn } from './received-trace';
import { parseTraceparent, TRACE_HEADER, traceparentOf } from './types';
import type { SpanSinks, TraceCarrier } from './types';
import { BATCH_WORKFLOW } from '../batch/types';
import { REPORT_WORKFLOW } from '../reports/types';
import { UPLOAD_WORKFLOW } from '../upload/types';
import { stepFailureOf } from '../failure';
import { metricsOver } from '../metrics';

type Headers = WorkflowExecuteInput['headers'];

const SPAN_ID_LENGTH = 16;
const { spans } = proxySinks<SpanSinks>();

/**
 * Loaded into every workflow. Passes a trace on to activities and children, and counts how the workflow ended. Creates
 * no commands, so that histories of any version replay with it and without it.
 */
export function interceptors(): WorkflowInterceptors {
  const { runId } = workflowInfo();
  let parent: string | undefined;
  let own: string | undefined;
  const onward = <Input extends { readonly headers: Headers }>(input: Input): Input =>
    own === undefined ? input : { ...input, headers: { ...input.headers, ...headerOf(own) } };

  function report(input: unknown, end: WorkflowEnd): void {
    countEnd(input, end);
    if (own === undefined || parent === undefined) return;
    const { workflowType, startTime } = workflowInfo();
    const times = { startedAt: startTime.getTime(), endedAt: Date.now() };
    const accountId = accountIn(input);
    spans.ended({ workflowType, ...given({ accountId }), ...end, ...times, traceparent: own, parent });
  }

  return {
    inbound: [
      {
        async execute(input, next) {
          parent = traceparentIn(input.headers);
          own = parent === undefined ? undefined : childOf(parent, runId);
          try {
            const result = await next(input);
            report(input.args[0], { outcome: 'completed', code: 'none' });
            return result;
          } catch (error) {
            const end = endOfError(error);
            if (end !== undefined) report(input.args[0], end);
            throw error;
          }
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(onward(input)),
        startChildWorkflowExecution: (input, next) => next(onward(input)),
        continueAsNew: (input, next) =>
          next(
            parent === undefined ? input : { ...input, headers: { ...input.headers, ...headerOf(parent) } },
          ),
      },
    ],
  };
}

function headerOf(traceparent: string): Headers {
  return { [TRACE_HEADER]: defaultPayloadConverter.toPayload({ traceparent } satisfies TraceCarrier) };
}

/**
 * The same on every replay. A random id would use random numbers of the workflow itself. A run id begins with the time
 * and ends with random digits.
 */
function childOf(parent: string, runId: string): string | undefined {
  const ids = parseTraceparent(parent);
  const spanId = runId.replaceAll('-', '').slice(-SPAN_ID_LENGTH);
  return ids === undefined ? undefined : traceparentOf({ ...ids, spanId });
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
