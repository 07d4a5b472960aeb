import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createUndiciTransport } from '../../../../api/transport/undici-transport';
import type { UndiciTransport } from '../../../../api/transport/undici-transport';
import { discardBody } from '../../../../api/answers/read-answer';
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

  test('takes headers up to its cap and no more', async () => {
    transport = createUndiciTransport({ maxHeaderBytes: 1000 });
    respond = (_request, response) => response.writeHead(200, { 'x-long': 'x'.repeat(2000) }).end();
    await expect(transport.send({ method: 'GET', url: origin, headers: {} })).rejects.toMatchObject({
      code: 'Transport',
      message: expect.stringContaining("the answer's headers are too large"),
      outcome: 'ambiguous',
    });
  });

  test('says in one line that an https address leads to a port of plain http, and that nothing was sent', async () => {
    transport = createUndiciTransport();
    respond = (_request, response) => response.end();
    const url = origin.replace('http:', 'https:');
    await expect(transport.send({ method: 'GET', url, headers: {} })).rejects.toMatchObject({
      code: 'Transport',
      outcome: 'unsent',
      message: expect.stringMatching(
        /: the answer is no TLS; this port seems to speak plain http \(ERR_SSL_\w+\)$/,
      ),
      facts: { hint: expect.stringContaining('Check scheme and port') },
    });
  });

  test('sends nothing once it is closed, and closing it ends what is under way', async () => {
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

  test('serves ever new addresses without keeping a connection to each', async () => {
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

  test('goes through the proxy that it is given', async () => {
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

  test('refuses what is no URL without showing it', async () => {
    transport = createUndiciTransport();
    const failure = await transport
      .send({ method: 'GET', url: 'not-a-url?X-Amz-Signature=abc', headers: {} })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'Transport', outcome: 'unsent' });
    expect(inspect(failure, { depth: 10 })).not.toContain('X-Amz-Signature');
  });
});
