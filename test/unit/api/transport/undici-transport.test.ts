import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createUndiciTransport, type UndiciTransport } from '../../../../api/transport/undici-transport';
import { discardBody } from '../../../../api/answers/read-answer';
import { makeCertificate } from '../../../support/certificate';
import { startForwardProxy } from '../../../support/forward-proxy';
import { describeTransport } from './transport-contract';

describeTransport({
  name: 'the undici transport',
  make: () => {
    const transport = createUndiciTransport();
    return { transport, close: () => transport.close() };
  },
});

describe('the undici transport', () => {
  let server: Server;
  let origin: string;
  let transport: UndiciTransport;
  let respond: RequestListener;

  beforeEach(async () => {
    server = createServer((request, response) => respond(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    await transport.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test('refuses headers that are too large', async () => {
    transport = createUndiciTransport();
    respond = (_request, response) => response.writeHead(200, { 'x-long': 'x'.repeat(70_000) }).end();
    await expect(transport.send({ method: 'GET', url: origin, headers: {} })).rejects.toMatchObject({
      code: 'Transport',
      message: expect.stringContaining("the answer's headers are too large"),
      outcome: 'ambiguous',
    });
  });

  test('says in one line that an https address leads to a plain http port, and that nothing was sent', async () => {
    transport = createUndiciTransport();
    respond = (_request, response) => response.end();
    const url = origin.replace('http:', 'https:');
    await expect(transport.send({ method: 'GET', url, headers: {} })).rejects.toMatchObject({
      code: 'Transport',
      outcome: 'unsent',
      message: expect.stringMatching(
        /: the answer is not TLS; this port seems to speak plain http \(ERR_SSL_\w+\)$/,
      ),
      facts: { hint: expect.stringContaining('Check scheme and port') },
    });
  });

  test('keeps fresh connections for the next such requests', async () => {
    transport = createUndiciTransport();
    const sockets = new Set<unknown>();
    respond = (request, response) => {
      sockets.add(request.socket);
      response.end();
    };
    for (let sent = 0; sent < 12; sent += 1) {
      const { body } = await transport.send({
        method: 'POST',
        url: origin,
        headers: {},
        freshConnection: true,
      });
      await discardBody(body);
    }
    // The next request may begin before a connection is free again, so that there are two.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  test('sends nothing after it is closed, and closing it aborts running requests', async () => {
    transport = createUndiciTransport();
    const arrived = new Promise<void>((resolve) => (respond = () => resolve()));
    const pending = transport
      .send({ method: 'GET', url: origin, headers: {} })
      .catch((error: unknown) => error);
    await arrived;
    await transport.close();
    expect(await pending).toMatchObject({ code: 'Transport', outcome: 'ambiguous' });
    await expect(transport.send({ method: 'GET', url: origin, headers: {} })).rejects.toMatchObject({
      outcome: 'unsent',
      message: expect.stringContaining('the transport was closed'),
    });
  });

  test('can use any number of addresses without keeping a connection to each', async () => {
    transport = createUndiciTransport();
    respond = (_request, response) => response.end();
    const { port } = new URL(origin);
    for (let host = 1; host <= 40; host += 1) {
      const request = { method: 'GET', url: `http://h${host}.invalid:${port}/`, headers: {} } as const;
      const answer = await transport.send({ ...request, addresses: ['127.0.0.1', `127.0.0.${host + 1}`] });
      await discardBody(answer.body);
    }
    const open = await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
    expect(open).toBeLessThanOrEqual(17);
  });

  test('uses the given proxy', async () => {
    const seen: string[] = [];
    respond = () => undefined;
    server.on('connect', (request, socket) => {
      seen.push(request.url ?? '');
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    transport = createUndiciTransport({ proxy: { http: origin, https: origin, none: 'direct.example' } });
    const failure = await transport
      .send({ method: 'GET', url: 'https://media.example.com/?X-Amz-Signature=abc', headers: {} })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'Transport', outcome: 'unsent' });
    expect(inspect(failure, { depth: 10 })).not.toContain('X-Amz-Signature');
    expect(seen).toEqual(['media.example.com:443']);
  });

  test('reaches an https address through a tunnel of the proxy, or directly if NO_PROXY names its host', async () => {
    const { key, cert } = await makeCertificate();
    const bodies: string[] = [];
    const secure = createTlsServer({ key, cert }, (request, response) => {
      void text(request).then((body) => response.end(String(bodies.push(body))));
    }).listen(0, '127.0.0.1');
    await once(secure, 'listening');
    const url = `https://localhost:${(secure.address() as AddressInfo).port}/part`;
    const proxy = await startForwardProxy();
    const through = async (none: string): Promise<number> => {
      transport = createUndiciTransport({ proxy: { https: proxy.url, none }, ca: cert.toString() });
      const sent = { bytes: 3, open: () => Readable.from([Buffer.from('one')]) };
      const { status, body } = await transport.send({ method: 'PUT', url, headers: {}, body: sent });
      await discardBody(body);
      await transport.close();
      return status;
    };
    try {
      expect(await through('elsewhere.example')).toBe(200);
      expect(proxy.seen).toEqual([`CONNECT ${new URL(url).host}`]);
      expect(await through('localhost')).toBe(200);
      expect(proxy.seen).toHaveLength(1);
      expect(bodies).toEqual(['one', 'one']);
    } finally {
      await proxy.close();
      secure.closeAllConnections();
      await new Promise((resolve) => secure.close(resolve));
    }
  });

  test('refuses a text that is not a URL without showing it', async () => {
    transport = createUndiciTransport();
    const failure = await transport
      .send({ method: 'GET', url: 'not-a-url?X-Amz-Signature=abc', headers: {} })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'Transport', outcome: 'unsent' });
    expect(inspect(failure, { depth: 10 })).not.toContain('X-Amz-Signature');
  });
});
