import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HttpSource } from '../../api/upload/sources/source';
import { secretsIn } from '../support/canary';
import { runBuilt } from '../support/built-command';
import { commandEnv } from '../support/command';
import { connectTemporal } from '../../temporal/client/connect';
import { startUpload } from '../../temporal/upload/client/start-upload';
import { requestOf, useUploadFixture } from '../support/upload-fixture';

const TRACE_ID = 'a'.repeat(32);
const TRACEPARENT = `00-${TRACE_ID}-${'b'.repeat(16)}-01`;

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

interface Otlp {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

const on = useUploadFixture({ worker: false });
const bodies: Otlp[] = [];
const receiver = createServer((request, response) => {
  void json(request).then((body) => {
    bodies.push(body as Otlp);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});

let end: Awaited<ReturnType<typeof runBuilt>>;
/** The requests of this process, in which the worker runs, for the traced uploads. */
let requests: ReturnType<typeof requestsSent>;
let source: HttpSource;

/** One worker makes three uploads: by a traced command, by a traced client, and untraced. */
beforeAll(async () => {
  const { fixture } = on;
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const endpoint = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}`;
  const stop = await fixture.startWorker({ tracesEndpoint: endpoint });
  const file = await fixture.writeFile('traced.mp4', 2);
  const env = { ...commandEnv(fixture), OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
  const words = ['upload', 'traced.mp4', '--title', 'Traced', '--wait', '--json'];
  requests = requestsSent();
  end = await runBuilt(words, { cwd: fixture.folder, env });

  const { account, queuePrefix, config } = fixture;
  const connection = await connectTemporal(config.temporal, { traceparent: TRACEPARENT });
  source = await fixture.serveFile(file.path);
  const start = { account, queuePrefix, request: requestOf(file.path, { source }) };
  await (await startUpload(connection, start)).result();
  requests.end();
  await connection.close();

  await (await fixture.start(file.path)).result();
  // The remaining spans are sent when the worker ends.
  await stop();
});
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

function spans(): readonly Span[] {
  return bodies.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
}

/** The requests that this process sends from now on: each with its method, and whether it carries a trace. */
function requestsSent(): { trace(address: string): string[]; end(): void } {
  const sent: { readonly origin: string; readonly text: string }[] = [];
  const note = (message: unknown): void => {
    const { request, headers } = message as { request: { origin: string }; headers: string };
    sent.push({ origin: request.origin, text: headers });
  };
  subscribe('undici:client:sendHeaders', note);
  return {
    trace: (address) =>
      sent
        .filter(({ origin }) => origin === new URL(address).origin)
        .map(
          ({ text }) =>
            `${text.slice(0, text.indexOf(' '))} ${/^traceparent:/im.test(text) ? 'with' : 'without'}`,
        ),
    end: () => void unsubscribe('undici:client:sendHeaders', note),
  };
}

describe('an upload with tracing', () => {
  it('is one trace from the command through workflow and activities to the service, without secrets or signed URLs', () => {
    expect([end.exit, end.stderr]).toEqual([0, expect.any(String)]);
    const root = spans().find(({ name }) => name === 'media-service');
    const all = spans().filter(({ traceId }) => traceId === root?.traceId);
    const only = (name: string): Span => {
      const [found, ...more] = all.filter((span) => span.name === name);
      if (found === undefined)
        throw new Error(`No span ${name} among ${all.map((span) => span.name).join()}.`);
      expect([name, more.length]).toEqual([name, 0]);
      return found;
    };
    const workflow = only('uploadMedia');
    expect(only('media-service').parentSpanId ?? '').toBe('');
    expect(workflow.parentSpanId).toBe(root?.spanId);
    const starting = only('startSession');
    expect(starting.parentSpanId).toBe(workflow.spanId);
    const calls = all.filter(({ parentSpanId }) => parentSpanId === starting.spanId);
    expect(calls.map(({ name }) => name)).toEqual(['upload start']);
    const parts = all.filter(({ name }) => name === 'sendPart');
    expect(parts).not.toEqual([]);
    const sending = only('sendParts');
    expect(sending.parentSpanId).toBe(workflow.spanId);
    expect(new Set(parts.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([sending.spanId]));
    const text = JSON.stringify(bodies);
    const { account } = on.fixture;
    expect(secretsIn(text, [account.apiKey, account.secretKey])).toEqual([]);
    expect(text).not.toMatch(/X-Amz|Signature|Bearer|traced\.mp4/i);
  });

  it("sends its trace only to the service: neither storage nor the source's server gets a traceparent", () => {
    const { uploadUrl, storageUrl } = on.fixture.simulator;
    expect(new Set(requests.trace(uploadUrl))).toEqual(new Set(['POST with', 'GET with']));
    expect(new Set(requests.trace(String(source.url)))).toEqual(new Set(['GET without']));
    // The command's file is one part, the client's two.
    expect(requests.trace(storageUrl)).toEqual(Array(3).fill('PUT without'));
  });

  it('makes no span if nobody traces it', () => {
    const root = spans().find(({ name }) => name === 'media-service');
    expect(new Set(spans().map(({ traceId }) => traceId))).toEqual(new Set([root?.traceId, TRACE_ID]));
  });
});
