import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { MediaServiceError } from '../../../../api/errors';
import { parseTraceparent } from '../../../../temporal/telemetry/types';
import { createSpans, tracingOver } from '../../../../temporal/telemetry/tracing';
import type { Tracing } from '../../../../temporal/telemetry/tracing';

const PARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

async function kept(): Promise<{ readonly tracing: Tracing; spans(): readonly ReadableSpan[] }> {
  const exporter = new InMemorySpanExporter();
  const tracing = tracingOver(await createSpans(new SimpleSpanProcessor(exporter), 'test'));
  return { tracing, spans: () => exporter.getFinishedSpans() };
}

describe('the spans of a process', () => {
  it('nest calls in activities, and pass on their own context', async () => {
    const { spans, tracing } = await kept();
    const activity = { name: 'startSession', traceparent: PARENT, attributes: { attempt: 1 } };
    const headers = await tracing.inActivity(activity, () => {
      const call = tracing.beginCall('upload start', 'acme-1');
      call.end(200);
      return Promise.resolve(call.headers);
    });
    const [call, outer] = spans();
    const within = { spanId: 'b'.repeat(16), traceId: 'a'.repeat(32) };
    expect(outer).toMatchObject({
      name: 'startSession',
      parentSpanContext: within,
      attributes: { attempt: 1 },
    });
    const { spanId } = outer?.spanContext() ?? {};
    expect(call).toMatchObject({
      name: 'upload start',
      kind: SpanKind.CLIENT,
      parentSpanContext: { spanId },
      attributes: { accountId: 'acme-1', operation: 'upload start', 'http.response.status_code': 200 },
    });
    expect(headers['traceparent']).toBe(`00-${'a'.repeat(32)}-${call?.spanContext().spanId ?? ''}-01`);
  });

  it("are those of a workflow with the workflow's own id and times", async () => {
    const { spans, tracing } = await kept();
    const traceparent = `00-${'a'.repeat(32)}-${'c'.repeat(16)}-01`;
    const times = { startedAt: 1_000, endedAt: 3_500 };
    const end = { outcome: 'failed', code: 'UrlExpired', ...times } as const;
    tracing.workflowEnded({
      workflowType: 'uploadMedia',
      accountId: 'a',
      ...end,
      traceparent,
      parent: PARENT,
    });
    await tracing.inActivity({ name: 'next', traceparent: PARENT, attributes: {} }, () => Promise.resolve());
    const [workflow, next] = spans();
    expect(workflow).toMatchObject({
      name: 'uploadMedia',
      parentSpanContext: { spanId: 'b'.repeat(16) },
      startTime: [1, 0],
      endTime: [3, 500_000_000],
      status: { code: SpanStatusCode.ERROR, message: 'UrlExpired' },
      attributes: { accountId: 'a', outcome: 'failed' },
    });
    expect(workflow?.spanContext().spanId).toBe('c'.repeat(16));
    expect(next?.spanContext().spanId).not.toBe('c'.repeat(16));
  });

  it('have the code of an error, never its message', async () => {
    const { spans, tracing } = await kept();
    const failing = tracing.inActivity({ name: 'sendPart', traceparent: PARENT, attributes: {} }, () =>
      Promise.reject(new MediaServiceError('UrlExpired', 'canary')),
    );
    await expect(failing).rejects.toThrow('canary');
    expect(spans()).toMatchObject([
      { status: { code: SpanStatusCode.ERROR, message: 'UrlExpired' }, events: [] },
    ]);
    expect(inspect(spans(), { depth: 9 })).not.toContain('canary');
  });

  it.each([
    ['no context', undefined],
    ['a context that is not recorded', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`],
    ['something else', 'canary'],
  ])('do not exist for an activity with %s, and its calls get no header', async (_what, traceparent) => {
    const { spans, tracing } = await kept();
    const headers = await tracing.inActivity({ name: 'x', traceparent, attributes: {} }, () =>
      Promise.resolve(tracing.beginCall('login', 'a').headers),
    );
    expect([headers, spans()]).toEqual([{}, []]);
  });
});

it.each([`00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`, '00-a-b-01', '', 7])(
  'parseTraceparent does not accept %p',
  (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  },
);
