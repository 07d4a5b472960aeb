import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { secretsIn } from '../support/canary';
import { buildCommand, runBuilt } from '../support/built-command';
import { commandEnv } from '../support/command';
import { connectTemporal } from '../../temporal/client/connect';
import { startUpload } from '../../temporal/client/start-upload';
import { requestOf, useUploadFixture } from '../support/upload-fixture';

const TRACEPARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

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
let endpoint = '';

beforeAll(async () => {
  await buildCommand();
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  endpoint = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}`;
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
  it('is one trace from the command through workflow and activities to the service, without secrets or signed URLs', async () => {
    const { fixture } = on;
    const stop = await fixture.startWorker({ tracesEndpoint: endpoint });
    await fixture.writeFile('traced.mp4', 2);
    const env = {
      ...commandEnv(fixture),
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    };
    const words = ['upload', 'traced.mp4', '--title', 'Traced', '--wait', '--json'];
    const { exit, stderr } = await runBuilt(words, { cwd: fixture.folder, env });
    expect([exit, stderr]).toEqual([0, expect.any(String)]);
    // The remaining spans are sent when the worker ends.
    await stop();

    const all = spans();
    const only = (name: string): Span => {
      const [found, ...more] = all.filter((span) => span.name === name);
      if (found === undefined)
        throw new Error(`No span ${name} among ${all.map((span) => span.name).join()}.`);
      expect([name, more.length]).toEqual([name, 0]);
      return found;
    };
    const root = only('media-service');
    const workflow = only('uploadMedia');
    const start = only('startSession');
    expect(root.parentSpanId ?? '').toBe('');
    expect(workflow.parentSpanId).toBe(root.spanId);
    const starting = only('startSessions');
    expect(starting.parentSpanId).toBe(workflow.spanId);
    expect(start.parentSpanId).toBe(starting.spanId);
    const calls = all.filter(({ parentSpanId }) => parentSpanId === start.spanId);
    expect(calls.map(({ name }) => name).sort()).toEqual(['login', 'upload start']);
    const parts = all.filter(({ name }) => name === 'sendPart');
    expect(parts).not.toEqual([]);
    const sending = only('sendParts');
    expect(sending.parentSpanId).toBe(workflow.spanId);
    expect(new Set(parts.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([sending.spanId]));
    expect(new Set(all.map(({ traceId }) => traceId))).toEqual(new Set([root.traceId]));

    const text = JSON.stringify(bodies);
    expect(secretsIn(text, [fixture.account.apiKey, fixture.account.secretKey])).toEqual([]);
    expect(text).not.toMatch(/X-Amz|Signature|Bearer|traced\.mp4/i);
  });

  it("sends its trace only to the service: neither storage nor the source's server gets a traceparent", async () => {
    const { fixture } = on;
    const { address, namespace } = fixture.config.temporal;
    const connection = await connectTemporal({ address, namespace }, { traceparent: TRACEPARENT });
    const file = await fixture.writeFile('traced.mp4', 2);
    const source = await fixture.serveFile(file.path);
    const { trace, end } = requestsSent();
    const stop = await fixture.startWorker({ tracesEndpoint: endpoint });
    try {
      const request = requestOf(file.path, { source });
      await (
        await startUpload(connection, { account: fixture.account, queuePrefix: fixture.queuePrefix, request })
      ).result();
    } finally {
      await stop();
      end();
      await connection.close();
    }
    const { baseUrl, uploadUrl } = fixture.simulator;
    expect(trace(baseUrl)).toEqual(['POST with']);
    expect(new Set(trace(uploadUrl))).toEqual(new Set(['POST with', 'GET with']));
    expect(new Set(trace(String(source.url)))).toEqual(new Set(['GET without']));
    const { storageUrl } = fixture.simulator;
    expect(trace(storageUrl)).toEqual(['PUT without', 'PUT without']);
  });

  it('makes no span if nobody traces it', async () => {
    const { fixture } = on;
    bodies.length = 0;
    const stop = await fixture.startWorker({ tracesEndpoint: endpoint });
    const file = await fixture.writeFile('untraced.mp4', 1);
    await (await fixture.start(file.path)).result();
    await stop();
    expect(spans()).toEqual([]);
  });
});
