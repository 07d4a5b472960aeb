import type { IExecuteFunctions } from 'n8n-workflow';
import { newTrace } from '../../temporal/client/new-trace';
import { parseTraceparent, traceparentOf } from '../../temporal/telemetry/types';

type Execution = Pick<IExecuteFunctions, 'getExecutionId' | 'getNode'>;

/**
 * The W3C trace context for everything that an execution starts. Never throws. It is n8n's own context if n8n traces
 * the execution and exposes it, otherwise that of a new trace.
 */
export function executionTrace(context: Execution): string {
  return traceOfN8n(context) ?? traceparentOf(newTrace());
}

/**
 * n8n does not make its spans active. Nodes can only get them from this function of n8n, which writes them into
 * request headers.
 */
function traceOfN8n(context: Execution): string | undefined {
  const otel = property(property(context, 'additionalData'), 'otel');
  const inject = property(otel, 'injectTraceHeaders');
  if (typeof inject !== 'function') return undefined;
  const headers = { traceparent: '' };
  try {
    Reflect.apply(inject, otel, [context.getExecutionId(), context.getNode().name, headers]);
  } catch {
    // n8n has logged the error, and an upload is more important than its trace.
    return undefined;
  }
  return parseTraceparent(headers.traceparent) === undefined ? undefined : headers.traceparent;
}

function property(target: unknown, name: string): unknown {
  return typeof target === 'object' && target !== null ? Reflect.get(target, name) : undefined;
}
