/**
 * Header of workflows and activities that carries a trace. Temporal's own OpenTelemetry libraries use the same name:
 * `{"traceparent": "00-…"}`.
 */
export const TRACE_HEADER = '_tracer-data';

export interface TraceCarrier {
  /** W3C trace context: `00-<trace id>-<span id>-<flags>`. */
  readonly traceparent: string;
}

/** What workflows report to their worker for traces. Nothing of it enters a history. */
export type SpanSinks = {
  readonly spans: {
    /** A workflow has ended. A replay reports nothing. */
    ended(news: WorkflowEnded): void;
  };
};

export interface WorkflowEnded {
  readonly workflowType: string;
  readonly accountId?: string;
  readonly outcome: 'completed' | 'failed' | 'cancelled';
  /** Code of the error. */
  readonly code?: string;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** The workflow's own span. `parent`: the span of its parent. */
  readonly traceparent: string;
  readonly parent: string;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
  /** Two hexadecimal digits. The lowest bit says that the trace is recorded. */
  readonly flags: string;
}

/** The parts of a `traceparent`, or undefined if the text is not one. */
export function parseTraceparent(text: unknown): TraceIds | undefined {
  const [, traceId, spanId, flags] = (typeof text === 'string' ? TRACEPARENT.exec(text) : null) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : { traceId, spanId, flags };
}

export function traceparentOf({ traceId, spanId, flags }: TraceIds): string {
  return `00-${traceId}-${spanId}-${flags}`;
}
