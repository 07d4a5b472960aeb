import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectTemporal } from '../../../temporal/client/connect';
import { parseTraceparent, TRACE_HEADER } from '../../../temporal/telemetry/types';
import type { TraceCarrier, TraceIds } from '../../../temporal/telemetry/types';
import { NODE_NAME } from '../support/n8n-stage';
import type { OnStage, Stage } from '../support/n8n-stage';
import { WORKER_HOST } from '../support/service-fixture';
import { until } from '../../support/until';

const NODE_ID = `id-of-${NODE_NAME}`;

/** Receives what n8n sends as OTLP in protobuf, where IDs and names are plain bytes. */
export interface SpanReceiver {
  /** Variables of an n8n that sends its spans here. */
  env(): Readonly<Record<string, string>>;
  /** What n8n sent together with this span; it sends every few seconds. */
  around(span: TraceIds): Promise<Buffer>;
}

/** A receiver for all tests of a file. */
export function useSpanReceiver(): SpanReceiver {
  const sent: Buffer[] = [];
  const receiver = createServer((request, response) => {
    void buffer(request).then((body) => {
      sent.push(body);
      response.end();
    });
  });
  beforeAll(() => once(receiver.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  return {
    env: () => ({
      N8N_OTEL_ENABLED: 'true',
      N8N_OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
      N8N_OTEL_TRACES_PRODUCTION_ONLY: 'false',
    }),
    async around(span) {
      const body = await until(`the span ${span.spanId}`, () =>
        sent.find((one) => one.includes(idsOf(span))),
      );
      return body ?? Buffer.alloc(0);
    },
  };
}

export function describeTraces(on: OnStage, spans: SpanReceiver): void {
  test("an upload's workflow joins the trace of the span that n8n sends for our node", async () => {
    const file = await on.stage.fixture.writeFile('traced.mp4', 5);
    const { items, error } = await on.stage.run({
      resource: 'upload',
      operation: 'upload',
      runIn: 'worker',
      source: 'path',
      path: file.path,
      host: WORKER_HOST,
    });
    expect(error).toBeUndefined();
    const trace = await traceOfWorkflow(on.stage, items[0]?.json['workflowId']);
    if (trace === undefined) throw new Error('The workflow was started with no trace.');
    expect(trace.flags).toBe('01');
    expect(nodeOfSpan(await spans.around(trace), trace)).toBe(NODE_ID);
  });
}

/** The trace that a workflow was started with. */
async function traceOfWorkflow({ fixture }: Stage, workflowId: unknown): Promise<TraceIds | undefined> {
  if (typeof workflowId !== 'string') throw new Error('No workflow was started.');
  const { address = '', namespace = '' } = fixture.temporal ?? {};
  const connection = await connectTemporal({ address, namespace });
  try {
    const { events } = await connection.client.workflow.getHandle(workflowId).fetchHistory();
    const { fields } = events?.[0]?.workflowExecutionStartedEventAttributes?.header ?? {};
    const carrier = Buffer.from(fields?.[TRACE_HEADER]?.data ?? []).toString();
    return parseTraceparent((JSON.parse(carrier) as TraceCarrier).traceparent);
  } finally {
    await connection.close();
  }
}

/** The first node ID after a span's own ID; the attributes of the span follow its ID. */
function nodeOfSpan(spans: Buffer, span: TraceIds): string {
  const node = spans.indexOf('id-of-', spans.indexOf(idsOf(span)));
  return spans.toString('utf8', node, node + NODE_ID.length);
}

/** The IDs of a span as they follow each other in protobuf. */
function idsOf({ traceId, spanId }: TraceIds): Buffer {
  return Buffer.from(`${traceId}1208${spanId}`, 'hex');
}
