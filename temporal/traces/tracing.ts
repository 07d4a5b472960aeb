import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Span, SpanOptions } from '@opentelemetry/api';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { MediaServiceError } from '../../api/errors';
import { given } from '../../api/json';
import { newTrace } from '../client/new-trace';
import { parseTraceparent, traceparentOf } from '../contract/telemetry';
import type { TraceIds, WorkflowEnded } from '../contract/telemetry';

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
  readonly attributes: Attributes;
}

interface TracedCall {
  readonly headers: Readonly<Record<string, string>>;
  end(status: number | undefined): void;
}

const LOWEST_ERROR_STATUS = 400;
/** A collector that does not answer must not delay the end of a command or a worker. */
const CLOSE_MS = 3_000;
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

/**
 * Sends spans in batches to `<endpoint>/v1/traces` as OTLP JSON. OpenTelemetry's variables set headers, timeouts and
 * sampling. Rejects if its libraries are not installed.
 */
export async function createTracing(endpoint: string, serviceName: string): Promise<Tracing> {
  const [{ BatchSpanProcessor }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const url = `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`;
  return tracingOver(new BatchSpanProcessor(new OTLPTraceExporter({ url })), serviceName);
}

export async function tracingOver(processor: SpanProcessor, serviceName: string): Promise<Tracing> {
  const [
    { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace },
    { BasicTracerProvider },
    { defaultResource, resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/resources'),
  ]);
  /** A workflow has chosen the id of its span itself. */
  let chosen: string | undefined;
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': serviceName })),
    spanProcessors: [processor],
    idGenerator: {
      generateTraceId: () => newTrace().traceId,
      generateSpanId: () => chosen ?? newTrace().spanId,
    },
  });
  const tracer = provider.getTracer('n8n-nodes-media-service');
  const current = new AsyncLocalStorage<Span>();

  function begin(name: string, parent: TraceIds | undefined, options: SpanOptions): Span {
    if (parent === undefined) return tracer.startSpan(name, options, ROOT_CONTEXT);
    const { traceId, spanId, flags } = parent;
    const above = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
    return tracer.startSpan(name, options, trace.setSpanContext(ROOT_CONTEXT, above));
  }

  function end(span: Span, error: string | undefined, endedAt?: Date): void {
    if (error === undefined) span.setStatus({ code: SpanStatusCode.OK });
    else span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    span.end(endedAt);
  }

  async function within<T>(span: Span, run: () => Promise<T>): Promise<T> {
    try {
      const result = await current.run(span, run);
      end(span, undefined);
      return result;
    } catch (error) {
      end(span, codeOfError(error));
      throw error;
    }
  }

  return {
    inRoot(name, run) {
      const span = begin(name, undefined, {});
      return within(span, () => run(traceparentOf(idsOf(span))));
    },
    inActivity({ name, traceparent, attributes }, run) {
      const parent = recorded(traceparent);
      return parent === undefined ? run() : within(begin(name, parent, { attributes }), run);
    },
    inStep({ name, attributes }, run) {
      const parent = current.getStore();
      return parent === undefined ? run() : within(begin(name, idsOf(parent), { attributes }), run);
    },
    beginCall(operation, accountId) {
      const parent = current.getStore();
      if (parent === undefined) return UNTRACED;
      const attributes = { accountId, operation };
      const span = begin(operation, idsOf(parent), { kind: SpanKind.CLIENT, attributes });
      return {
        headers: { traceparent: traceparentOf(idsOf(span)) },
        end(status) {
          if (status !== undefined) span.setAttribute('http.response.status_code', status);
          const failed = status === undefined || status >= LOWEST_ERROR_STATUS;
          end(span, failed ? String(status ?? 'no answer') : undefined);
        },
      };
    },
    workflowEnded({ workflowType, outcome, code, startedAt, endedAt, accountId, ...trail }) {
      const [own, parent] = [recorded(trail.traceparent), recorded(trail.parent)];
      if (own === undefined || parent === undefined) return;
      const attributes = { outcome, ...given({ accountId }) };
      chosen = own.spanId;
      // OpenTelemetry takes a number below the start of this process for a time since that start.
      const span = begin(workflowType, parent, { attributes, startTime: new Date(startedAt) });
      chosen = undefined;
      end(span, outcome === 'completed' ? undefined : code, new Date(endedAt));
    },
    // Lost traces must not fail a command that succeeded.
    close: () => Promise.race([provider.shutdown().catch(() => undefined), atMost(CLOSE_MS)]),
  };
}

function idsOf(span: Span): TraceIds {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, flags: traceFlags.toString(16).padStart(2, '0') };
}

function recorded(traceparent: string | undefined): TraceIds | undefined {
  const ids = parseTraceparent(traceparent);
  return ids !== undefined && Number.parseInt(ids.flags, 16) % 2 === 1 ? ids : undefined;
}

function atMost(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

/** The code of an error, or its class. Messages stay in the log, because they may name files and hosts. */
function codeOfError(error: unknown): string {
  if (error instanceof MediaServiceError) return error.code;
  if (!(error instanceof Error)) return 'Internal';
  return 'type' in error && typeof error.type === 'string' ? error.type : error.name;
}
