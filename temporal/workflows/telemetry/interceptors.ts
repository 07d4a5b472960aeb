import { defaultPayloadConverter, TemporalFailure } from '@temporalio/common';
import { isCancellation, workflowInfo } from '@temporalio/workflow';
import type { WorkflowExecuteInput, WorkflowInterceptors } from '@temporalio/workflow';
import { isJsonObject } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import { parseTraceparent, TRACE_HEADER, traceparentOf } from '../../contract/telemetry';
import type { TraceCarrier, WorkflowEnded } from '../../contract/telemetry';
import { stepFailureOf } from '../../failure';
import { traceparentIn } from '../../trace-header';
import { fleetSinks } from './fleet-sinks';

type Headers = WorkflowExecuteInput['headers'];

const SPAN_ID_LENGTH = 16;

/**
 * Loaded into every workflow. Passes a trace on to activities and children, and reports to the worker how the workflow
 * ended. Creates no commands, so that histories of any version replay with it and without it.
 */
export function interceptors(): WorkflowInterceptors {
  const { runId } = workflowInfo();
  let parent: string | undefined;
  let own: string | undefined;
  const onward = <Input extends { readonly headers: Headers }>(input: Input): Input =>
    own === undefined ? input : { ...input, headers: { ...input.headers, ...headerOf(own) } };

  return {
    inbound: [
      {
        async execute(input, next) {
          parent = traceparentIn(input.headers);
          own = parent === undefined ? undefined : childOf(parent, runId);
          const report = (how: Pick<WorkflowEnded, 'outcome' | 'code'>): void =>
            fleetSinks.fleet.ended({ ...endOf(input), ...how, ...traceOf(own, parent) });
          try {
            const result = await next(input);
            report({ outcome: 'completed' });
            return result;
          } catch (error) {
            // Anything else is a new run, or a task that is retried.
            if (isCancellation(error)) report({ outcome: 'cancelled', code: 'Cancelled' });
            else if (error instanceof TemporalFailure)
              report({ outcome: 'failed', code: stepFailureOf(error).code });
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

function traceOf(own: string | undefined, parent: string | undefined): Partial<WorkflowEnded> {
  return own === undefined || parent === undefined ? {} : { traceparent: own, parent };
}

function endOf({
  args,
}: WorkflowExecuteInput): Pick<
  WorkflowEnded,
  'workflowType' | 'accountId' | 'schedule' | 'startedAt' | 'endedAt'
> {
  const { workflowType, startTime } = workflowInfo();
  const [input] = args;
  const account: unknown = isJsonObject(input) ? input['account'] : undefined;
  const accountId: unknown = isJsonObject(account) ? account['accountId'] : undefined;
  const schedule = isJsonObject(input) ? regularScheduleOf(input) : undefined;
  return {
    workflowType,
    startedAt: startTime.getTime(),
    endedAt: Date.now(),
    ...(typeof accountId === 'string' ? { accountId } : {}),
    ...(schedule === undefined ? {} : { schedule }),
  };
}

/** Only regular runs, because tests and backfills say nothing about the schedule. */
function regularScheduleOf({ schedule, run }: JsonObject): string | undefined {
  if (!isJsonObject(schedule) || !isJsonObject(run) || run['kind'] !== 'next') return undefined;
  const id: unknown = schedule['id'];
  return typeof id === 'string' ? id : undefined;
}
