import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { setImmediate as turn } from 'node:timers/promises';
import { readStart } from '../../../../api/answers/read-answer';
import { makeCertificate } from '../../../support/certificate';
import { createUndiciTransport } from '../../../../api/transport/undici-transport';
import type { RequestStream } from '../../../../api/transport/transport';
import { given } from '../../../../api/json';
import { afterTest } from '../../../support/after-test';
import { listen } from '../../../support/listen';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const ODD_CONTINUE = 'HTTP/1.0 100\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n';
const HEADER_LINE = `x-more: ${'x'.repeat(90)}\r\n`;

const bytesOf = (text: string): string[] =>
  Array.from(Buffer.from(text), (byte) => String.fromCharCode(byte));

describe.each(['http', 'https'])('over %s', (scheme) => {
  /** A server that answers each head of a request so, and a client of it. */
  async function opened(answer: (socket: Socket) => unknown) {
    const pair = await makeCertificate();
    const onSocket = (socket: Socket): void => {
      socket.on('error', () => undefined);
      let head = '';
      socket.on('data', (bytes) => {
        head += bytes.toString('latin1');
        if (!head.includes('\r\n\r\n')) return;
        head = '';
        answer(socket);
      });
    };
    const server: Server = scheme === 'http' ? createServer(onSocket) : createTlsServer(pair, onSocket);
    const { port, close } = await listen(server);
    afterTest(close);
    const transport = createUndiciTransport({ ca: pair.cert.toString() });
    afterTest(() => transport.close());
    const request = { url: `${scheme}://127.0.0.1:${port}/`, headers: {}, timeouts: { headersMs: 10_000 } };
    async function got(method: 'GET' | 'PUT' = 'GET', body?: RequestStream): Promise<string> {
      const answered = await transport.send({ method, ...request, ...given({ body }) });
      return `${answered.status} ${await readStart(answered.body, 1_000)}`;
    }
    return { server, got };
  }

  describe('an answer after a 100 Continue that nobody asked for', () => {
    it.each([
      ['one', [CONTINUE + OK]],
      ['several', [CONTINUE, CONTINUE + ODD_CONTINUE, OK]],
      ['one in single bytes', bytesOf(CONTINUE + OK)],
      ['none', [OK]],
      ['none, in single bytes', bytesOf(OK)],
      ['one with many headers', [`HTTP/1.1 100\r\n${HEADER_LINE.repeat(150)}`, `\r\n${OK}`]],
      ['a body that looks like one', [`HTTP/1.1 200 OK\r\ncontent-length: 25\r\n\r\n`, CONTINUE]],
    ])('is read after %s, on a connection that is used again', async (_what, pieces) => {
      let connections = 0;
      const { server, got } = await opened(async (socket) => {
        for (const piece of pieces) {
          socket.write(piece);
          await turn();
        }
      });
      server.on(scheme === 'http' ? 'connection' : 'secureConnection', (socket: Socket) => {
        connections += 1;
        socket.setNoDelay(true);
      });
      const expected = pieces.at(-1) === CONTINUE ? `200 ${CONTINUE}` : '200 ok';
      for (let call = 0; call < 3; call += 1) expect(await got()).toBe(expected);
      // undici may open a second one before the first one is free.
      expect(connections).toBeLessThan(3);
    });

    it('is not waited for if the headers of a 100 Continue do not end', async () => {
      const closed: Promise<unknown>[] = [];
      const { got } = await opened((socket) => {
        closed.push(once(socket, 'close'));
        socket.write(`HTTP/1.1 100 Continue\r\n${HEADER_LINE.repeat(300)}`);
      });
      await expect(got()).rejects.toMatchObject({
        outcome: 'ambiguous',
        message: expect.stringContaining("the answer's headers are too large (UND_ERR_HEADERS_OVERFLOW)"),
      });
      expect(closed).toHaveLength(1);
      await closed[0];
    });
  });

  it('an answer of a server that reads nothing of the body is reported, not the reset that follows', async () => {
    const text = '<Error><Code>EntityTooLarge</Code></Error>';
    const { got } = await opened((socket) => {
      socket.pause();
      const headers = `content-length: ${text.length}\r\nconnection: close\r\n\r\n`;
      socket.write(`HTTP/1.1 413 Too Large\r\n${headers}${text}`, () => socket.destroy());
    });
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < 512; at += 1) {
        yield Buffer.alloc(128 * 1024);
        // As after a read of a file: the write may come before the answer is read.
        await turn();
      }
    }
    const body = { bytes: 512 * 128 * 1024, open: pieces };
    for (let call = 0; call < 50; call += 1) expect(await got('PUT', body)).toBe(`413 ${text}`);
  });
});
