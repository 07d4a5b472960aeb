import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { HttpAnswer, HttpRequest, Transport } from '../../../../api/transport/transport';
import { freePort } from '../../../support/free-port';
import { listen, type Listening } from '../../../support/listen';
import { failureOf } from '../upload/failure-of';

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly socket: Socket;
}

/** The contract of every transport (api/transport/transport.ts), tested against a real server on loopback. */
export function describeTransport(name: string, make: () => Transport & { close(): Promise<void> }): void {
  describe(`${name} keeps the contract of a transport`, () => {
    let server: Listening;
    let origin: string;
    let seen: SeenRequest[] = [];
    let respond: RequestListener;
    const transport = make();

    beforeAll(async () => {
      const answering = createServer((request, response) => {
        const { method = '', url: path = '', headers, socket } = request;
        const answer = (body: Buffer): void => {
          seen.push({ method, path, headers, body, socket });
          respond(request, response);
        };
        // A request may end early.
        buffer(request).then(answer, () => undefined);
      });
      server = await listen(answering);
      origin = server.url;
    });

    afterEach(() => {
      seen = [];
    });

    afterAll(async () => {
      await transport.close();
      await server.close();
    });

    const send = (request: Partial<HttpRequest> = {}): Promise<HttpAnswer> =>
      transport.send({ method: 'GET', url: `${origin}/path?a=1`, headers: {}, ...request });

    const only = (): SeenRequest => {
      const [request, ...others] = seen;
      if (request === undefined || others.length > 0) throw new Error(`${seen.length} requests arrived.`);
      return request;
    };

    test('sends method, path, query, headers and text as given, and names itself only as the package', async () => {
      respond = answerWith(200, {}, 'ok');
      const own = { 'content-type': 'application/json', 'x-own': 'value' };
      expect(await textOf(await send({ method: 'POST', headers: own, body: '{"title":"Grüße"}' }))).toBe(
        'ok',
      );
      const { headers, body, ...request } = only();
      expect(request).toMatchObject({ method: 'POST', path: '/path?a=1' });
      expect(body.toString('utf8')).toBe('{"title":"Grüße"}');
      const names = { 'content-length': '19', 'user-agent': 'n8n-nodes-media-service' };
      expect(headers).toMatchObject({ ...own, ...names });
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('cookie');
      expect(headers['accept-encoding'] ?? 'identity').toBe('identity');
    });

    test('sends a stream with its content-length, not chunked, even if it reuses its buffer under backpressure', async () => {
      respond = answerWith(200, {}, '');
      const pieces = Array.from({ length: 1000 }, (_, piece) => Buffer.alloc(8000, piece % 251));
      async function* open(): AsyncGenerator<Uint8Array> {
        const buffer = new Uint8Array(8000);
        for (const [first] of pieces) yield buffer.fill(first ?? 0);
      }
      await textOf(await send({ method: 'PUT', body: { bytes: 8_000_000, open } }));
      expect(only().headers['content-length']).toBe('8000000');
      expect(only().headers).not.toHaveProperty('transfer-encoding');
      expect(only().body.equals(Buffer.concat(pieces))).toBe(true);
    });

    test('never walks a chunk of a stream byte by byte, which is slow if a library has changed iterators', async () => {
      respond = answerWith(200, {}, '');
      const chunk = new Uint8Array(70_000).fill(7);
      Object.defineProperty(chunk, Symbol.iterator, {
        value: () => {
          throw new Error('walked byte by byte');
        },
      });
      async function* open(): AsyncGenerator<Uint8Array> {
        yield await Promise.resolve(chunk);
      }
      const { status } = await send({ method: 'PUT', body: { bytes: chunk.byteLength, open } });
      expect(status).toBe(200);
      expect(only().body.equals(Buffer.alloc(70_000, 7))).toBe(true);
    });

    test('rejects with the error that a stream throws', async () => {
      respond = answerWith(200, {}, '');
      const failure = new Error('the file changed');
      async function* open(): AsyncGenerator<Uint8Array> {
        yield new Uint8Array(5);
        throw failure;
      }
      await expect(send({ method: 'PUT', body: { bytes: 10, open } })).rejects.toBe(failure);
    });

    test.each([204, 301, 400, 401, 404, 429, 500, 503])('returns %i as an answer, once', async (status) => {
      respond = answerWith(status, { location: `${origin}/elsewhere` }, '');
      const answer = await send();
      await textOf(answer);
      expect(answer.status).toBe(status);
      expect(seen).toHaveLength(1);
    });

    test('returns header names in lower case, and joins a repeated header', async () => {
      respond = (_request, response) =>
        response.writeHead(200, ['X-Total-Elements', '7', 'Via', 'one', 'Via', 'two']).end();
      const answer = await send();
      await textOf(answer);
      expect(answer.headers).toMatchObject({ 'x-total-elements': '7', via: 'one, two' });
    });

    test('returns the answer after a 100 Continue that nobody asked for', async () => {
      respond = (_request, response) => {
        response.writeContinue();
        response.writeContinue(() => response.writeHead(201).end());
      };
      expect((await send()).status).toBe(201);
    });

    test('returns a body byte for byte', async () => {
      const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
      respond = answerWith(200, { 'content-type': 'application/octet-stream' }, bytes);
      expect((await buffer((await send()).body)).equals(bytes)).toBe(true);
    });

    test('never returns a compressed answer as if it were plain', async () => {
      respond = answerWith(200, { 'content-encoding': 'gzip' }, gzipSync('plain'));
      const answer = await send();
      const body = await buffer(answer.body);
      const said = answer.headers['content-encoding'] === 'gzip';
      expect(said ? body.equals(gzipSync('plain')) : body.toString()).toEqual(said ? true : 'plain');
    });

    test('reports a refused connection as not sent', async () => {
      const closedPort = await freePort();
      const failure = await failureOf(send({ url: `http://127.0.0.1:${closedPort}/?X-Amz-Signature=abc` }));
      expect([failure.code, failure.outcome]).toEqual(['Transport', 'unsent']);
      expect(failure.message).not.toContain('Signature');
      expect(failure.facts.hint).toContain('In a container, localhost is the container itself');
    });

    test('reports a server that does not speak TLS as not sent', async () => {
      respond = answerWith(200, {}, '');
      const { message, outcome } = await failureOf(send({ url: origin.replace('http:', 'https:') }));
      expect(message).toContain('the answer is not TLS; this port seems to speak plain http');
      expect(outcome).toBe('unsent');
    });

    test('reports a connection that is cut after the request arrived as ambiguous', async () => {
      respond = (request) => request.socket.destroy();
      const failure = await failureOf(send({ method: 'POST', body: 'x' }));
      expect([failure.code, failure.outcome, seen.length]).toEqual(['Transport', 'ambiguous', 1]);
    });

    test('reports an answer that comes too late as ambiguous, and closes the connection', async () => {
      const closed = socketClosed();
      respond = closed.listen;
      const { code, outcome } = await failureOf(send({ timeouts: { headersMs: 3_000 } }));
      expect([code, outcome]).toEqual(['Transport', 'ambiguous']);
      await closed.happened;
    });

    test('rejects with a TransportError if a body breaks off while it is read', async () => {
      respond = (request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => request.socket.destroy());
      };
      await expect(send().then(textOf)).rejects.toMatchObject({ code: 'Transport', outcome: 'ambiguous' });
    });

    test('sends nothing and rejects with the reason if its signal was already aborted', async () => {
      const reason = new Error('changed my mind');
      await expect(send({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      expect(seen).toHaveLength(0);
    });

    test('rejects with the reason and closes the connection if its signal aborts meanwhile', async () => {
      const controller = new AbortController();
      const reason = new Error('enough');
      const closed = socketClosed();
      respond = (request, response) => {
        closed.listen(request, response);
        controller.abort(reason);
      };
      await expect(send({ signal: controller.signal })).rejects.toBe(reason);
      await closed.happened;
    });

    test('closes the connection of an endless body that is abandoned before it was read', async () => {
      const closed = socketClosed();
      respond = (request, response) => {
        closed.listen(request, response);
        response.writeHead(200);
        response.write(Buffer.alloc(64 * 1024));
      };
      const answer = await send();
      await answer.body[Symbol.asyncIterator]().return?.();
      await closed.happened;
      expect(answer.status).toBe(200);
    });

    test('uses no connection that was idle for some seconds if a fresh one is requested', async () => {
      const closed = socketClosed();
      respond = (request, response) => {
        closed.listen(request, response);
        answerWith(200, {}, 'ok')(request, response);
      };
      const fresh = async (): Promise<string> => textOf(await send({ freshConnection: true }));
      await fresh();
      await closed.happened;
      await fresh();
      const [first, second] = seen.map(({ socket }) => socket);
      expect(second).not.toBe(first);
    });

    test('uses no connection of other requests if a fresh one is requested', async () => {
      respond = answerWith(200, {}, 'ok');
      await textOf(await send());
      await textOf(await send({ freshConnection: true }));
      const [first, second] = seen.map(({ socket }) => socket);
      expect(second).not.toBe(first);
    });
  });
}

function answerWith(status: number, headers: Record<string, string>, body: string | Buffer): RequestListener {
  return (_request, response) => {
    response.writeHead(status, headers);
    response.end(status === 204 ? undefined : body);
  };
}

/** A listener that leaves the request open, and a promise that resolves when the other side closes its connection. */
function socketClosed(): {
  listen: (request: IncomingMessage, response: ServerResponse) => void;
  happened: Promise<void>;
} {
  let resolve: () => void = () => undefined;
  const happened = new Promise<void>((done) => (resolve = done));
  return { happened, listen: (request) => void request.socket.once('close', () => resolve()) };
}

const textOf = ({ body }: HttpAnswer): Promise<string> => text(body);
