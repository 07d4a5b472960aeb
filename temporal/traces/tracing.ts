import { AsyncLocalStorage } from 'node:async_hooks';
import { newTrace } from '../client/new-trace';
import { parseTraceparent, traceparentOf } from '../contract/telemetry';
import type { TraceIds, WorkflowEnded } from '../contract/telemetry';
import { createSpanSender } from './span-sender';
import type { FinishedSpan, SpanSender } from './span-sender';
import { MediaServiceError } from '../../api/errors';

/**
 * The spans of one process. A span contains names, ids, counts, statuses and error codes, but no message, URL or
 * payload. Work outside of a trace makes no span.
 */
export interface Tracing {
  /** Begins a trace. `run` gets the context to pass on. */
  inRoot<T>(name: string, run: (traceparent: string) => Promise<T>): Promise<T>;
  /** Traces one try of an activity, if its workflow is traced. */
  inActivity<T>(activity: TracedActivity, run: () => Promise<T>): Promise<T>;
  /** Traces one try of a step for one input of an activity, within the current span. */
  inStep<T>(step: Omit<TracedActivity, 'traceparent'>, run: () => Promise<T>): Promise<T>;
  /** Traces one request to the service, within the current span. Send `headers` with the request. */
  beginCall(operation: string, accountId: string): TracedCall;
  /** Sends the span of a workflow that has ended. */
  workflowEnded(news: WorkflowEnded): void;
  /** Sends the remaining spans. Never rejects. */
  close(): Promise<void>;
}

interface TracedActivity {
  readonly name: string;
  readonly traceparent: string | undefined;
  readonly attributes: Readonly<Record<string, string | number>>;
}

interface TracedCall {
  readonly headers: Readonly<Record<string, string>>;
  end(status: number | undefined): void;
}

const LOWEST_ERROR_STATUS = 400;
const UNTRACED: TracedCall = { headers: {}, end: () => undefined };

/** The message if traces were requested but their libraries are missing. */
export const TRACES_MISSING =
  'There are no traces: their libraries are missing. Install them with ' +
  '`npm install @opentelemetry/api @opentelemetry/sdk-trace-base @opentelemetry/resources @opentelemetry/exporter-trace-otlp-http`.';

/** For processes without traces. */
export const NO_TRACING: Tracing = {
  inRoot: (_name, run) => run(''),
  inActivity: (_activity, run) => run(),
  inStep: (_step, run) => run(),
  beginCall: () => UNTRACED,
  workflowEnded: () => undefined,
  close: () => Promise.resolve(),
};

/** Sends spans to an OTLP endpoint (http, JSON). Rejects if the libraries are not installed. */
export async function createTracing(endpoint: string, serviceName: string): Promise<Tracing> {
  return tracingOver(await createSpanSender(endpoint, serviceName));
}

export function tracingOver(sender: SpanSender): Tracing {
  const current = new AsyncLocalStorage<TraceIds>();

  async function within<T>(span: Omit<FinishedSpan, 'endedAt' | 'error'>, run: () => Promise<T>): Promise<T> {
    try {
      const result = await current.run(span.ids, run);
      sender.send({ ...span, endedAt: Date.now() });
      return result;
    } catch (error) {
      sender.send({ ...span, endedAt: Date.now(), error: codeOfError(error) });
      throw error;
    }
  }

  function below<T>(
    parent: TraceIds | undefined,
    { name, attributes }: Omit<TracedActivity, 'traceparent'>,
    run: () => Promise<T>,
  ): Promise<T> {
    if (parent === undefined) return run();
    const ids = childOf(parent);
    const startedAt = Date.now();
    return within({ name, kind: 'internal', ids, parent: parent.spanId, startedAt, attributes }, run);
  }

  return {
    inRoot(name, run) {
      const ids = newTrace();
      const span = { name, kind: 'internal', ids, startedAt: Date.now(), attributes: {} } as const;
      return within(span, () => run(traceparentOf(ids)));
    },
    inActivity: ({ traceparent, ...activity }, run) =>
      below(recorded(parseTraceparent(traceparent)), activity, run),
    inStep: (step, run) => below(current.getStore(), step, run),
    beginCall: (operation, accountId) => beginCall(sender, current.getStore(), { operation, accountId }),
    workflowEnded: (news) => sendWorkflow(sender, news),
    close: () => sender.close(),
  };
}

function beginCall(
  sender: SpanSender,
  parent: TraceIds | undefined,
  { operation, accountId }: { readonly operation: string; readonly accountId: string },
): TracedCall {
  if (parent === undefined) return UNTRACED;
  const ids = childOf(parent);
  const startedAt = Date.now();
  return {
    headers: { traceparent: traceparentOf(ids) },
    end(status) {
      const answered = status === undefined ? {} : { 'http.response.status_code': status };
      const attributes = { accountId, operation, ...answered };
      const failed = status === undefined || status >= LOWEST_ERROR_STATUS;
      const span = { name: operation, kind: 'client', ids, parent: parent.spanId, startedAt } as const;
      const error = failed ? { error: String(status ?? 'no answer') } : {};
      sender.send({ ...span, endedAt: Date.now(), attributes, ...error });
    },
  };
}

function sendWorkflow(sender: SpanSender, news: WorkflowEnded): void {
  const { workflowType: name, outcome, code, startedAt, endedAt, accountId } = news;
  const ids = recorded(parseTraceparent(news.traceparent));
  const above = parseTraceparent(news.parent);
  if (ids === undefined || above === undefined) return;
  const attributes = { outcome, ...(accountId === undefined ? {} : { accountId }) };
  const error = outcome === 'completed' ? {} : { error: code ?? outcome };
  sender.send({
    name,
    kind: 'internal',
    ids,
    parent: above.spanId,
    startedAt,
    endedAt,
    attributes,
    ...error,
  });
}

function childOf(parent: TraceIds): TraceIds {
  return { ...parent, spanId: newTrace().spanId };
}

function recorded(ids: TraceIds | undefined): TraceIds | undefined {
  return ids !== undefined && Number.parseInt(ids.flags, 16) % 2 === 1 ? ids : undefined;
}

/** The code of an error, or its class. Messages stay in the log, because they may name files and hosts. */
function codeOfError(error: unknown): string {
  if (error instanceof MediaServiceError) return error.code;
  if (!(error instanceof Error)) return 'Internal';
  return 'type' in error && typeof error.type === 'string' ? error.type : error.name;
}
