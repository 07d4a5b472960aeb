import type { SpanContext } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { TraceIds } from '../contract/telemetry';

export interface FinishedSpan {
  readonly name: string;
  readonly kind: 'internal' | 'client';
  readonly ids: TraceIds;
  /** Span id. Unset: the trace begins with this span. */
  readonly parent?: string;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Error code. Unset: no error. */
  readonly error?: string;
}

/** A collector that does not answer must not delay the end of a command or a worker. */
const CLOSE_MS = 3_000;

export interface SpanSender {
  /** Queues a span. A span that can't be sent is dropped. */
  send(span: FinishedSpan): void;
  /** Sends the remaining spans. Never rejects. */
  close(): Promise<void>;
}

/**
 * Sends spans in batches to `<endpoint>/v1/traces` as OTLP JSON. Loads OpenTelemetry's own exporter, whose headers and
 * timeouts come from OpenTelemetry's variables. Rejects if it is not installed.
 */
export async function createSpanSender(endpoint: string, serviceName: string): Promise<SpanSender> {
  const [
    { SpanKind, SpanStatusCode },
    { BatchSpanProcessor },
    { defaultResource, resourceFromAttributes },
    { OTLPTraceExporter },
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const url = `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`;
  const processor = new BatchSpanProcessor(new OTLPTraceExporter({ url }));
  const resource = defaultResource().merge(resourceFromAttributes({ 'service.name': serviceName }));
  const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT };
  const status = (error: string | undefined): ReadableSpan['status'] =>
    error === undefined ? { code: SpanStatusCode.OK } : { code: SpanStatusCode.ERROR, message: error };

  const readable = (span: FinishedSpan): ReadableSpan => ({
    name: span.name,
    kind: kinds[span.kind],
    spanContext: () => contextOf(span.ids, span.ids.spanId),
    ...(span.parent === undefined ? {} : { parentSpanContext: contextOf(span.ids, span.parent) }),
    startTime: hrTime(span.startedAt),
    endTime: hrTime(span.endedAt),
    duration: hrTime(span.endedAt - span.startedAt),
    status: status(span.error),
    attributes: { ...span.attributes },
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: 'n8n-nodes-media-service' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  });
  return {
    send: (span) => processor.onEnd(readable(span)),
    // Lost traces must not fail a command that succeeded.
    close: () => Promise.race([processor.shutdown().catch(() => undefined), atMost(CLOSE_MS)]),
  };
}

function contextOf({ traceId, flags }: TraceIds, spanId: string): SpanContext {
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

function atMost(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

/** Seconds and nanoseconds. */
function hrTime(ms: number): [number, number] {
  const whole = Math.max(0, ms);
  return [Math.floor(whole / 1000), Math.round((whole % 1000) * 1e6)];
}
