import type { WorkflowClientInterceptor } from '@temporalio/client';
import { TRACE_HEADER } from '../contract/telemetry';
import type { TraceCarrier } from '../contract/telemetry';

/**
 * Writes the starter's trace into the headers of the workflow. Needs no OpenTelemetry library, because n8n's nodes
 * have none.
 */
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
