import type { WorkflowClientInterceptor } from '@temporalio/client';
import { TRACE_HEADER } from '../contract/telemetry';
import type { TraceCarrier } from '../contract/telemetry';

/** Writes the trace of whoever starts a workflow into its headers. Needs no OpenTelemetry library: n8n's nodes have none. */
export function traceInterceptor(traceparent: string): WorkflowClientInterceptor {
  const payload = {
    metadata: { encoding: Buffer.from('json/plain') },
    data: Buffer.from(JSON.stringify({ traceparent } satisfies TraceCarrier)),
  };
  return {
    startWithDetails: (input, next) =>
      next({ ...input, headers: { ...input.headers, [TRACE_HEADER]: payload } }),
  };
}
