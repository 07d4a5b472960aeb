import type { Attributes } from '@opentelemetry/api';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { given } from '../../api/json';
import { newTrace } from '../client/new-trace';
import type { TraceIds } from '../contract/telemetry';

export interface SpanStart {
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

export interface Spans {
  begin(start: SpanStart): OpenSpan;
  /** Sends the remaining spans. Never rejects. */
  close(): Promise<void>;
}

/** A collector that does not answer must not delay the end of a command or a worker. */
const CLOSE_MS = 3_000;

/** Makes spans with OpenTelemetry. Rejects if its libraries are not installed. */
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
      generateTraceId: () => newTrace().traceId,
      generateSpanId: () => nextId ?? newTrace().spanId,
    },
  });
  const tracer = provider.getTracer('n8n-nodes-media-service');
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
