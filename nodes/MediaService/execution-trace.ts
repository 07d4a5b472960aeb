import type { IExecuteFunctions } from 'n8n-workflow';
import { newTrace } from '../../temporal/client/new-trace';
import { parseTraceparent, traceparentOf } from '../../temporal/contract/telemetry';

type Execution = Pick<IExecuteFunctions, 'getExecutionId' | 'getNode'>;

/**
 * The W3C trace context that what an execution starts belongs to, never throws: n8n's own, where n8n traces the execution and tells those whom it calls;
 * else that of a trace which begins here.
 */
export function executionTrace(context: Execution): string {
  return traceOfN8n(context) ?? traceparentOf(newTrace());
}

/** n8n makes its spans active for nobody: nodes meet them in the headers of their requests alone, written by this function of n8n. */
function traceOfN8n(context: Execution): string | undefined {
  const otel = property(property(context, 'additionalData'), 'otel');
  const inject = property(otel, 'injectTraceHeaders');
  if (typeof inject !== 'function') return undefined;
  const headers = { traceparent: '' };
  try {
    Reflect.apply(inject, otel, [context.getExecutionId(), context.getNode().name, headers]);
  } catch {
    // n8n has logged it, and an upload is worth more than its trace.
    return undefined;
  }
  return parseTraceparent(headers.traceparent) === undefined ? undefined : headers.traceparent;
}

function property(target: unknown, name: string): unknown {
  return typeof target === 'object' && target !== null ? Reflect.get(target, name) : undefined;
}
