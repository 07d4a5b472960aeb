import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ROOT_CONTEXT, propagation, trace } from '@opentelemetry/api';
import type { Span } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { AlwaysOffSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import type { IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import { MediaService } from '../../nodes/MediaService/MediaService.node';
import { executionTrace } from '../../nodes/MediaService/execution-trace';
import { TestCredentialsHelper } from './support/credentials-helper';
import { executeContextOf } from './support/execute-context';
import { NODE_TYPE, nodeOf } from './support/run-workflow';

const OWN = /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/;
const NODE_NAME = 'Media Service';

type Otel = NonNullable<IWorkflowExecuteAdditionalData['otel']>;

beforeAll(() => {
  trace.setGlobalTracerProvider(new BasicTracerProvider());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
});
afterAll(() => {
  trace.disable();
  propagation.disable();
});

/** Adds the span of this node through the global API, as n8n's own module does. */
function tracing(span: Span): Otel {
  return {
    injectTraceHeaders(executionId, nodeName, headers) {
      if (executionId !== 'e' || nodeName !== NODE_NAME) return;
      propagation.inject(trace.setSpan(ROOT_CONTEXT, span), headers);
    },
  };
}

const traceOf = (otel?: Otel): string => {
  const node = nodeOf(NODE_NAME, NODE_TYPE, {});
  const modules = otel === undefined ? {} : { otel };
  return executionTrace(executeContextOf(node, new MediaService(), new TestCredentialsHelper({}), modules));
};

describe('the work that an execution starts belongs to', () => {
  test("n8n's own span of the node if n8n traces the execution", () => {
    const span = trace.getTracer('n8n-workflow').startSpan('node.execute', {}, ROOT_CONTEXT);
    const { traceId, spanId } = span.spanContext();
    expect(traceOf(tracing(span))).toBe(`00-${traceId}-${spanId}-01`);
    span.end();
  });

  test("n8n's trace even if n8n does not sample it, and then the worker does not sample it either", () => {
    const provider = new BasicTracerProvider({ sampler: new AlwaysOffSampler() });
    const span = provider.getTracer('n8n-workflow').startSpan('node.execute', {}, ROOT_CONTEXT);
    const { traceId, spanId } = span.spanContext();
    expect(traceOf(tracing(span))).toBe(`00-${traceId}-${spanId}-00`);
    span.end();
  });

  const silent: readonly [string, Otel | undefined][] = [
    ['has no traces', undefined],
    ['does not trace this execution, or does not share its trace', { injectTraceHeaders: () => undefined }],
    [
      'fails at it',
      {
        injectTraceHeaders() {
          throw new Error('no span');
        },
      },
    ],
    [
      'answers something else',
      { injectTraceHeaders: (_id, _node, headers) => void (headers['traceparent'] = 'b3') },
    ],
  ];
  test.each(silent)('a trace of its own if n8n %s', (_what, otel) => {
    expect(traceOf(otel)).toMatch(OWN);
    expect(traceOf(otel)).not.toBe(traceOf(otel));
  });
});
