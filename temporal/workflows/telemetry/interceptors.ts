import { defaultPayloadConverter } from '@temporalio/common';
import { proxySinks, workflowInfo } from '@temporalio/workflow';
import type { WorkflowExecuteInput, WorkflowInterceptors } from '@temporalio/workflow';
import { given } from '../../../api/json';
import { parseTraceparent, TRACE_HEADER, traceparentOf } from '../../contract/telemetry';
import type { SpanSinks, TraceCarrier } from '../../contract/telemetry';
import { traceparentIn } from '../../trace-header';
import { accountIn, countEnd, endOfError } from './metrics';
import type { WorkflowEnd } from './metrics';

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
