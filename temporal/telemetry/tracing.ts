import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Attributes } from '@opentelemetry/api';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { MediaServiceError } from '../../api/errors';
import { given } from '../../api/json';
import { parseTraceparent, traceparentOf } from './types';
import type { TraceIds, WorkflowEnded } from './types';

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
const UNTRACED: TracedCall = { headers: {}, end: () => undefined };

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
 * sampling.
 */
export async function createTracing(endpoint: string, serviceName: string): Promise<Tracing> {
  const [{ BatchSpanProcessor }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const url = `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`;
  const processor = new BatchSpanProcessor(new OTLPTraceExporter({ url }));
  return tracingOver(await createSpans(processor, serviceName));
}

export function tracingOver(spans: Spans): Tracing {
  const current = new AsyncLocalStorage<TraceIds>();

  async function within<T>(start: SpanStart, run: (ids: TraceIds) => Promise<T>): Promise<T> {
    const span = spans.begin(start);
    try {
      const result = await current.run(span.ids, () => run(span.ids));
      span.end(undefined);
      return result;
    } catch (error) {
      span.end(codeOfError(error));
      throw error;
    }
  }

  return {
    inRoot: (name, run) => within({ name }, (ids) => run(traceparentOf(ids))),
    inActivity({ traceparent, ...activity }, run) {
      const parent = recorded(traceparent);
      return parent === undefined ? run() : within({ ...activity, parent }, run);
    },
    inStep(step, run) {
      const parent = current.getStore();
      return parent === undefined ? run() : within({ ...step, parent }, run);
    },
    beginCall(operation, accountId) {
      const parent = current.getStore();
      if (parent === undefined) return UNTRACED;
      const attributes = { accountId, operation };
      const span = spans.begin({ name: operation, parent, attributes, isCall: true });
      return {
        headers: { traceparent: traceparentOf(span.ids) },
        end(status) {
          const failed = status === undefined || status >= LOWEST_ERROR_STATUS;
          const answered = status === undefined ? {} : { 'http.response.status_code': status };
          span.end(failed ? String(status ?? 'no answer') : undefined, { attributes: answered });
        },
      };
    },
    workflowEnded({ workflowType: name, outcome, code, startedAt, endedAt, accountId, ...trail }) {
      const [own, parent] = [recorded(trail.traceparent), recorded(trail.parent)];
      if (own === undefined || parent === undefined) return;
      const attributes = { outcome, ...given({ accountId }) };
      const span = spans.begin({ name, parent, attributes, spanId: own.spanId, startedAt });
      span.end(outcome === 'completed' ? undefined : code, { endedAt });
    },
    close: () => spans.close(),
  };
}

function recorded(traceparent: string | undefined): TraceIds | undefined {
  const ids = parseTraceparent(traceparent);
  return ids !== undefined && Number.parseInt(ids.flags, 16) % 2 === 1 ? ids : undefined;
}

/** The code of an error, or its class. Messages stay in the log, because they may name files and hosts. */
function codeOfError(error: unknown): string {
  if (error instanceof MediaServiceError) return error.code;
  if (!(error instanceof Error)) return 'Internal';
  return 'type' in error && typeof error.type === 'string' ? error.type : error.name;
}

interface SpanStart {
  readonly name: string;
  /** Unset: a trace begins. */
  readonly parent?: TraceIds;
  readonly attributes?: Attributes;
  readonly isCall?: true;
  /** Unset: a random id. */
  readonly spanId?: string;
  /** Epoch ms. Unset: now. */
  readonly startedAt?: number;
}

export interface OpenSpan {
  readonly ids: TraceIds;
  /** `error`: its code. `endedAt`: epoch ms, default now. */
  end(
    error: string | undefined,
    more?: { readonly attributes?: Attributes; readonly endedAt?: number },
  ): void;
}

interface Spans {
  begin(start: SpanStart): OpenSpan;
  /** Sends the remaining spans. Never rejects. */
  close(): Promise<void>;
}

/** A collector that does not answer must not delay the end of a command or a worker. */
const CLOSE_MS = 3_000;

/** Makes spans with OpenTelemetry. */
export async function createSpans(processor: SpanProcessor, serviceName: string): Promise<Spans> {
  const [
    { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace },
    { BasicTracerProvider },
    { defaultResource, resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/resources'),
  ]);
  let nextId: string | undefined;
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': serviceName })),
    spanProcessors: [processor],
    idGenerator: {
      generateTraceId: () => randomBytes(16).toString('hex'),
      generateSpanId: () => nextId ?? randomBytes(8).toString('hex'),
    },
  });
  const tracer = provider.getTracer('media-service');
  return {
    begin({ name, parent, attributes = {}, isCall, spanId, startedAt }) {
      const above = parent && { ...parent, traceFlags: Number.parseInt(parent.flags, 16), isRemote: true };
      const context = above === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, above);
      const kind = isCall === true ? SpanKind.CLIENT : SpanKind.INTERNAL;
      nextId = spanId;
      const startTime = dateOf(startedAt);
      const span = tracer.startSpan(name, { kind, attributes, ...given({ startTime }) }, context);
      nextId = undefined;
      const { traceFlags, ...ids } = span.spanContext();
      return {
        ids: { traceId: ids.traceId, spanId: ids.spanId, flags: traceFlags.toString(16).padStart(2, '0') },
        end(error, { attributes: more = {}, endedAt } = {}) {
          span.setAttributes(more);
          if (error === undefined) span.setStatus({ code: SpanStatusCode.OK });
          else span.setStatus({ code: SpanStatusCode.ERROR, message: error });
          span.end(dateOf(endedAt));
        },
      };
    },
    // Lost traces must not fail a command that succeeded.
    close: () => Promise.race([provider.shutdown().catch(() => undefined), atMost(CLOSE_MS)]),
  };
}

/** OpenTelemetry takes a number below the start of this process for a time since that start. */
function dateOf(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}

function atMost(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
