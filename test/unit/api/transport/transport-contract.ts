import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { TransportError } from '../../../../api/errors';
import type { HttpAnswer, HttpRequest, Transport } from '../../../../api/transport/transport';

export interface TransportUnderTest {
  readonly transport: Transport;
  close(): Promise<void>;
}

export interface TransportSubject {
  /** As it stands in the tests' names. */
  readonly name: string;
  make(): TransportUnderTest | Promise<TransportUnderTest>;
}

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly socket: Socket;
}

/** What every transport promises (api/transport/transport.ts), shown against a real server on loopback. */
export function describeTransport(subject: TransportSubject): void {
  describe(`${subject.name} keeps the contract of a transport`, () => {
    let server: Server;
    let origin: string;
    let seen: SeenRequest[] = [];
    let respond: RequestListener;
    let underTest: TransportUnderTest;

    beforeAll(async () => {
      server = createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('error', () => undefined);
        request.on('end', () => {
          const { method = '', url: path = '', headers, socket } = request;
          seen.push({ method, path, headers, body: Buffer.concat(chunks), socket });
          respond(request, response);
        });
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      underTest = await subject.make();
    });

    afterEach(() => {
      seen = [];
    });

    afterAll(async () => {
      await underTest.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });

    const send = (request: Partial<HttpRequest> = {}): Promise<HttpAnswer> =>
      underTest.transport.send({ method: 'GET', url: `${origin}/path?a=1`, headers: {}, ...request });

    const only = (): SeenRequest => {
      expect(seen).toHaveLength(1);
      const [request] = seen;
      if (request === undefined) throw new Error('no request arrived');
      return request;
    };

    test('method, path, query, headers and text arrive as given, and no header is added that says who asks', async () => {
      respond = answerWith(200, {}, 'ok');
      const answer = await send({
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-own': 'ü'.normalize('NFC') === 'ü' ? 'value' : '' },
        body: '{"title":"Grüße"}',
      });
      expect(await textOf(answer)).toBe('ok');
      expect(only()).toMatchObject({ method: 'POST', path: '/path?a=1' });
      expect(only().body.toString('utf8')).toBe('{"title":"Grüße"}');
      expect(only().headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': '19',
        'x-own': 'value',
      });
      expect(only().headers).not.toHaveProperty('authorization');
      expect(only().headers).not.toHaveProperty('cookie');
    });

    describe('the addresses that a request is given', () => {
      const at = (name: string): string => `http://${name}:${new URL(origin).port}/`;

      test('are connected to under the name of the URL, which is resolved no more', async () => {
        respond = answerWith(200, {}, 'ok');
        const url = at('checked.invalid');
        expect(await textOf(await send({ url, addresses: ['127.0.0.1'] }))).toBe('ok');
        expect(only().headers.host).toBe(new URL(url).host);
        await expect(send({ url })).rejects.toMatchObject({ code: 'Transport', outcome: 'unsent' });
      });

      test('are tried one after the other if one takes no connection', async () => {
        respond = answerWith(200, {}, 'ok');
        const addresses = ['127.0.0.2', '::1', '127.0.0.1'];
        expect(await textOf(await send({ url: at('checked.invalid'), addresses }))).toBe('ok');
        expect(seen).toHaveLength(1);
      });

      test('are the only ones: a name that leads elsewhere by now is not followed', async () => {
        respond = answerWith(200, {}, 'secret');
        const sending = send({ url: at('localhost'), addresses: ['127.0.0.2'] });
        await expect(sending).rejects.toMatchObject({ code: 'Transport', outcome: 'unsent' });
        expect(seen).toEqual([]);
      });
    });

    test('a stream goes out with its content-length, not chunked, even where it reuses its buffer under backpressure', async () => {
      respond = answerWith(200, {}, '');
      const [pieces, pieceBytes] = [1000, 8000];
      const buffer = new Uint8Array(pieceBytes);
      const body = {
        bytes: pieces * pieceBytes,
        async *open() {
          for (let piece = 0; piece < pieces; piece += 1) yield buffer.fill(piece % 251);
        },
      };
      await textOf(await send({ method: 'PUT', body }));
      expect(only().headers['content-length']).toBe(String(body.bytes));
      expect(only().headers).not.toHaveProperty('transfer-encoding');
      const expected = Buffer.concat(
        Array.from({ length: pieces }, (_, piece) => Buffer.alloc(pieceBytes, piece % 251)),
      );
      expect(only().body.equals(expected)).toBe(true);
    });

    test('a chunk of a stream is never walked byte by byte, which is slow wherever a library has changed iterators', async () => {
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

    test('what a stream throws is what the request rejects with', async () => {
      respond = answerWith(200, {}, '');
      const failure = new Error('the file changed');
      const body = {
        bytes: 10,
        async *open(): AsyncGenerator<Uint8Array> {
          yield new Uint8Array(5);
          throw failure;
        },
      };
      await expect(send({ method: 'PUT', body })).rejects.toBe(failure);
    });

    test.each([204, 301, 302, 400, 401, 404, 429, 500, 503])(
      'status %i is an answer, not an error, and nothing is sent again',
      async (status) => {
        respond = answerWith(status, { location: `${origin}/elsewhere` }, '');
        const answer = await send();
        await textOf(answer);
        expect(answer.status).toBe(status);
        expect(seen).toHaveLength(1);
      },
    );

    test('header names are in lower case and a repeated header is joined', async () => {
      respond = (_request, response) => {
        response.writeHead(
          200,
          [
            ['X-Total-Elements', '7'],
            ['Via', 'one'],
            ['Via', 'two'],
          ].flat(),
        );
        response.end();
      };
      const answer = await send();
      await textOf(answer);
      expect(answer.headers).toMatchObject({ 'x-total-elements': '7', via: 'one, two' });
    });

    test('a body arrives byte for byte', async () => {
      const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
      respond = answerWith(200, { 'content-type': 'application/octet-stream' }, bytes);
      expect(Buffer.concat(await piecesOf(await send())).equals(bytes)).toBe(true);
    });

    test('no compression is asked for', async () => {
      respond = answerWith(200, {}, '');
      await textOf(await send());
      expect(only().headers['accept-encoding'] ?? 'identity').toBe('identity');
    });

    test('an answer that is compressed all the same is never passed on as if it were plain without saying so', async () => {
      respond = answerWith(200, { 'content-encoding': 'gzip' }, gzipSync('plain'));
      const answer = await send();
      const body = Buffer.concat(await piecesOf(answer));
      const said = answer.headers['content-encoding'] === 'gzip';
      expect(said ? body.equals(gzipSync('plain')) : body.toString()).toEqual(said ? true : 'plain');
    });

    test('a refused connection is unsent', async () => {
      const closedPort = await freePort();
      await expect(
        send({ url: `http://127.0.0.1:${closedPort}/?X-Amz-Signature=abc` }),
      ).rejects.toMatchObject({
        code: 'Transport',
        outcome: 'unsent',
        message: expect.not.stringContaining('Signature'),
      });
    });

    test('a server that does not speak TLS is unsent', async () => {
      respond = answerWith(200, {}, '');
      await expect(send({ url: origin.replace('http:', 'https:') })).rejects.toMatchObject({
        code: 'Transport',
        outcome: 'unsent',
      });
    });

    test('a connection that is cut after the request arrived is ambiguous', async () => {
      respond = (request) => request.socket.destroy();
      const failure = await send({ method: 'POST', body: 'x' }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(TransportError);
      expect(failure).toMatchObject({ outcome: 'ambiguous' });
      expect(seen).toHaveLength(1);
    });

    test('an answer that does not come in time is ambiguous, and the connection is closed', async () => {
      const closed = socketClosed();
      respond = closed.listen;
      await expect(send({ timeouts: { headersMs: 3_000 } })).rejects.toMatchObject({
        code: 'Transport',
        outcome: 'ambiguous',
      });
      await closed.happened;
    });

    test('a body that breaks off rejects with a TransportError while it is read', async () => {
      respond = (request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => request.socket.destroy());
      };
      await expect(send().then(textOf)).rejects.toMatchObject({ code: 'Transport', outcome: 'ambiguous' });
    });

    test('a signal that was aborted before sends nothing and rejects with its reason', async () => {
      const reason = new Error('changed my mind');
      await expect(send({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      expect(seen).toHaveLength(0);
    });

    test('a signal that aborts meanwhile rejects with its reason and closes the connection', async () => {
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

    test('an endless body that is given up before it was read closes its connection', async () => {
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

    test('a fresh connection is one that nothing was sent on before', async () => {
      respond = answerWith(200, {}, 'ok');
      await textOf(await send());
      await textOf(await send({ freshConnection: true }));
      await textOf(await send({ freshConnection: true }));
      expect(new Set(seen.map((request) => request.socket)).size).toBe(3);
    });
  });
}

function answerWith(status: number, headers: Record<string, string>, body: string | Buffer): RequestListener {
  return (_request, response) => {
    response.writeHead(status, headers);
    response.end(status === 204 ? undefined : body);
  };
}

/** A listener that leaves the request open, and a promise of the moment when its connection is closed by the other side. */
function socketClosed(): {
  listen: (request: IncomingMessage, response: ServerResponse) => void;
  happened: Promise<void>;
} {
  let resolve: () => void = () => undefined;
  const happened = new Promise<void>((done) => (resolve = done));
  return { happened, listen: (request) => void request.socket.once('close', () => resolve()) };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function piecesOf(answer: HttpAnswer): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.body) pieces.push(piece);
  return pieces;
}

async function textOf(answer: HttpAnswer): Promise<string> {
  return Buffer.concat(await piecesOf(answer)).toString('utf8');
}
