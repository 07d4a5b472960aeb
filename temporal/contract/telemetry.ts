import type { BatchCounts } from './batch';

/** Header of workflows and activities that carries a trace on, as Temporal's own OpenTelemetry libraries name it: `{"traceparent": "00-…"}`. */
export const TRACE_HEADER = '_tracer-data';

export interface TraceCarrier {
  /** W3C trace context: `00-<trace id>-<span id>-<flags>`. */
  readonly traceparent: string;
}

/** What workflows tell the worker that runs them, for metrics and traces; nothing of it enters a history. */
export type FleetSinks = {
  readonly fleet: {
    /** A workflow has ended, or an upload that a page carries out; a replay reports nothing. */
    ended(news: WorkflowEnded): void;
    /** Rows of a batch by state have changed. */
    batchRows(news: BatchRows): void;
  };
};

export interface WorkflowEnded {
  readonly workflowType: string;
  readonly accountId?: string;
  readonly outcome: 'completed' | 'failed' | 'cancelled';
  /** Code of the error. */
  readonly code?: string;
  /** Id of the schedule, of its regular reports alone. */
  readonly schedule?: string;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Of the workflow's own span, and of its parent. */
  readonly traceparent?: string;
  readonly parent?: string;
}

export interface BatchRows {
  readonly accountId: string;
  readonly batchId: string;
  readonly counts: BatchCounts;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
  /** Two hexadecimal digits; the lowest bit says that the trace is recorded. */
  readonly flags: string;
}

/** The parts of a `traceparent`; undefined where it is none. */
export function parseTraceparent(text: unknown): TraceIds | undefined {
  const [, traceId, spanId, flags] = (typeof text === 'string' ? TRACEPARENT.exec(text) : null) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : { traceId, spanId, flags };
}

export function traceparentOf({ traceId, spanId, flags }: TraceIds): string {
  return `00-${traceId}-${spanId}-${flags}`;
}
