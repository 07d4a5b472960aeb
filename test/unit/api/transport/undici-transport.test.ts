import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import net, { createServer as createTcpServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { given } from '../../../../api/json';
import { isRetryable } from '../../../../api/retry';
import type { HttpAnswer, HttpRequest } from '../../../../api/transport/transport';
import { createUndiciTransport } from '../../../../api/transport/undici-transport';
import type { UndiciTransport } from '../../../../api/transport/undici-transport';
import { discardBody } from '../../../../api/answers/read-answer';
import { makeCertificate, makeIssued } from '../../../support/certificate';
import type { Certificate } from '../../../support/certificate';
import { afterTest } from '../../../support/after-test';
import { startForwardProxy } from '../../../support/forward-proxy';
import type { ForwardProxy } from '../../../support/forward-proxy';
import { failureOf } from '../upload/failure-of';
import { describeTransport } from './transport-contract';
import { listen, type Listening } from '../../../support/listen';

describeTransport('the undici transport', createUndiciTransport);

describe('the undici transport', () => {
  let server: Server;
  let listening: Listening;
  let origin: string;
  let transport: UndiciTransport;
  let respond: RequestListener;

  beforeEach(async () => {
    server = createServer((request, response) => respond(request, response));
    listening = await listen(server);
    origin = listening.url;
    transport = createUndiciTransport();
  });

  afterEach(async () => {
    await transport.close();
    await listening.close();
  });

  const get = (more: Partial<HttpRequest> = {}): Promise<HttpAnswer> =>
    transport.send({ method: 'GET', url: origin, headers: {}, ...more });

  test("gives each of a host's addresses longer to answer than Node does, for networks of a high latency", async () => {
    const connect = jest.spyOn(net, 'connect');
    respond = (_request, response) => response.end();
    await discardBody((await get()).body);
    expect(connect).toHaveBeenCalledWith(expect.objectContaining({ autoSelectFamilyAttemptTimeout: 2500 }));
    connect.mockRestore();
  });

  test('says at once that a port speaks no HTTP, which no later try changes', async () => {
    const other = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    const { url, close } = await listen(other);
    afterTest(close);
    const { message, facts } = await failureOf(get({ url }));
    expect(message).toMatch(/^127\.0\.0\.1:\d+: the answer is not HTTP$/);
    expect(facts.hint).toContain('Check host and port');
    expect(facts.details).toMatchObject({ permanent: true });
  });

  test('rejects a request, and lives, if a listener of its socket throws', async () => {
    respond = (_request, response) => response.end('answer');
    const channel = 'undici:client:connected';
    const onConnected = (message: unknown): void => {
      const { socket } = message as { socket: Socket };
      socket.once('close', () => {
        throw new Error('thrown in the end');
      });
      socket.prependOnceListener('readable', () => {
        throw new Error('thrown in a listener');
      });
    };
    subscribe(channel, onConnected);
    afterTest(() => unsubscribe(channel, onConnected));
    const { message, outcome } = await failureOf(get());
    expect([message, outcome]).toEqual([expect.stringContaining('thrown in a listener'), 'ambiguous']);
  });

  test('leaves the sockets of other code as they are', async () => {
    const own: boolean[] = [];
    const onSent = (message: unknown): void => {
      own.push(Object.hasOwn((message as { socket: Socket }).socket, '_write'));
    };
    respond = (_request, response) => response.end();
    await get();
    subscribe('undici:client:sendHeaders', onSent);
    afterTest(() => unsubscribe('undici:client:sendHeaders', onSent));
    await get();
    await (await fetch(origin)).text();
    expect(own).toEqual([true, false]);
  });

  test('keeps fresh connections for the next such requests', async () => {
    const sockets = new Set<unknown>();
    respond = (request, response) => {
      sockets.add(request.socket);
      response.end();
    };
    for (let sent = 0; sent < 12; sent += 1)
      await discardBody((await get({ method: 'POST', freshConnection: true })).body);
    // The next request may begin before a connection is free again, so that there are two.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  test('sends nothing after it is closed, and closing it aborts running requests', async () => {
    const arrived = new Promise<void>((resolve) => (respond = () => resolve()));
    const pending = failureOf(get());
    await arrived;
    await transport.close();
    expect(await pending).toMatchObject({ code: 'Transport', outcome: 'ambiguous' });
    const { message, outcome } = await failureOf(get());
    expect([message, outcome]).toEqual([expect.stringContaining('the transport was closed'), 'unsent']);
  });

  test('connects to the addresses that it is given, one after the other, and to no others', async () => {
    const hosts: unknown[] = [];
    respond = ({ headers }, response) => {
      hosts.push(headers.host);
      response.end();
    };
    const { port } = new URL(origin);
    const send = (host: string, addresses?: string[]): Promise<HttpAnswer> =>
      get({ url: `http://${host}:${port}/`, ...given({ addresses }) });
    const refused = { code: 'Transport', outcome: 'unsent' };
    await discardBody((await send('checked.invalid', ['127.0.0.2', '::1', '127.0.0.1'])).body);
    await expect(send('checked.invalid')).rejects.toMatchObject(refused);
    await expect(send('localhost', ['127.0.0.2'])).rejects.toMatchObject(refused);
    expect(hosts).toEqual([`checked.invalid:${port}`]);
  });

  test('can use any number of addresses without keeping a connection to each', async () => {
    respond = (_request, response) => response.end();
    const { port } = new URL(origin);
    for (let host = 1; host <= 40; host += 1) {
      const addresses = ['127.0.0.1', `127.0.0.${host + 1}`];
      await discardBody((await get({ url: `http://h${host}.invalid:${port}/`, addresses })).body);
    }
    const open = await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
    expect(open).toBeLessThanOrEqual(17);
  });

  test('reaches an https address through a tunnel of the proxy, or directly if NO_PROXY names its host', async () => {
    await using secure = await startSecure();
    const proxy = await openProxy({ names: { 'media.example': '127.0.0.1' } });
    const through = async (host: string): Promise<number> => {
      transport = createUndiciTransport({ proxy: { https: proxy.url, none: 'localhost' }, ca: secure.ca });
      const status = await put(transport, `https://${host}:${secure.port}/part`);
      await transport.close();
      return status;
    };
    // The certificate is for localhost, so this one ends after the tunnel.
    await expect(through('media.example')).rejects.toMatchObject({ outcome: 'unsent' });
    expect(proxy.seen).toEqual([`CONNECT media.example:${secure.port}`]);
    expect(await through('127.0.0.1')).toBe(200);
    expect(proxy.seen.slice(1)).toEqual([`CONNECT 127.0.0.1:${secure.port}`]);
    expect(await through('localhost')).toBe(200);
    expect(proxy.seen).toHaveLength(2);
    expect(secure.bodies).toEqual(['one', 'one']);
  });

  test.each(['directly', 'through a tunnel'])('names an issuer that is not trusted, %s', async (way) => {
    const issued = await makeIssued('Company Root CA', ['localhost']);
    await using secure = await startSecure(issued);
    const proxy = await openProxy();
    const url = `https://localhost:${secure.port}/part`;
    const through = way === 'directly' ? {} : { https: proxy.url };
    transport = createUndiciTransport({ proxy: through });
    await expect(put(transport, url)).rejects.toMatchObject({
      message: `localhost:${secure.port}: the server's certificate, issued by Company Root CA, is not trusted (SELF_SIGNED_CERT_IN_CHAIN)`,
      outcome: 'unsent',
      facts: { hint: expect.stringContaining('{certificates}'), details: { permanent: true } },
    });
    expect(secure.bodies).toEqual([]);
    await transport.close();
    transport = createUndiciTransport({ proxy: through, ca: issued.ca.toString() });
    expect(await put(transport, url)).toBe(200);
  });

  test('reaches an https address through a proxy that speaks TLS and wants user and password', async () => {
    await using secure = await startSecure();
    const proxy = await openProxy({ tls: secure.pair, login: 'jo:p@ss' });
    const https = proxy.url.replace('https://', 'https://jo:p%40ss@');
    transport = createUndiciTransport({ proxy: { https, http: https }, ca: secure.ca });
    expect(await put(transport, `https://127.0.0.1:${secure.port}/part`)).toBe(200);
    respond = (request, response) => {
      expect(request.headers).not.toHaveProperty('proxy-authorization');
      response.end();
    };
    expect(await put(transport, origin)).toBe(200);
    expect(proxy.seen).toEqual([`CONNECT 127.0.0.1:${secure.port}`, `PUT ${origin}/`]);
  });

  test('sends plain http to the proxy with the whole address, whose name need not resolve here', async () => {
    const seen: unknown[] = [];
    respond = (request, response) => {
      void text(request).then((body) => {
        seen.push(request.url, request.headers.host, request.headers['proxy-authorization'], body);
        response.end();
      });
    };
    const { port } = new URL(origin);
    const proxy = await openProxy({ names: { 'media.example': '127.0.0.1' }, login: 'jo:' });
    transport = createUndiciTransport({ proxy: { http: proxy.url.replace('//', '//jo@') } });
    expect(await put(transport, `http://media.example:${port}/part?X-Amz-Signature=1`)).toBe(200);
    expect(proxy.seen).toEqual([`PUT http://media.example:${port}/part`]);
    expect(seen).toEqual(['/part?X-Amz-Signature=1', `media.example:${port}`, undefined, 'one']);
  });

  test.each([
    ['https://media.example/', '', 'asks for a user and a password (407)'],
    ['http://media.example/', '', 'asks for a user and a password (407)'],
    ['https://media.example/', 'jo:hunter2@', 'refuses user and password (407)'],
    ['http://media.example/', 'jo:hunter2@', 'refuses user and password (407)'],
  ])('names the proxy that does not let a request to %s with "%s" pass', async (url, user, says) => {
    const proxy = await openProxy({ login: 'jo:p@ss' });
    transport = createUndiciTransport({ proxy: { all: proxy.url.replace('//', `//${user}`) } });
    const failure = await failureOf(put(transport, url));
    expect(failure).toMatchObject({ outcome: 'unsent', message: `the proxy ${proxy.url} ${says}` });
    expect(isRetryable(failure)).toBe(false);
    expect(inspect(failure, { depth: 10 })).not.toMatch(/hunter2|aHVudGVy/);
  });

  test('names the proxy that refuses a tunnel, and one that is not there', async () => {
    const proxy = await openProxy({ refuses: 403 });
    transport = createUndiciTransport({ proxy: { all: proxy.url } });
    const url = 'https://media.example/?X-Amz-Signature=abc';
    const failure = await failureOf(put(transport, url));
    expect(failure).toMatchObject({
      outcome: 'unsent',
      message: `the proxy ${proxy.url} does not connect to media.example:443: it answered 403`,
    });
    expect(inspect(failure, { depth: 10 })).not.toContain('X-Amz-Signature');
    await proxy.close();
    for (const url of ['https://media.example/', 'http://media.example/']) {
      await expect(put(transport, url)).rejects.toMatchObject({
        outcome: 'unsent',
        message: `the proxy ${proxy.url}: the connection was refused (ECONNREFUSED)`,
      });
    }
  });

  test('refuses a text that is not a URL without showing it', async () => {
    const failure = await failureOf(get({ url: 'not-a-url?X-Amz-Signature=abc' }));
    expect(failure).toMatchObject({ code: 'Transport', outcome: 'unsent' });
    expect(inspect(failure, { depth: 10 })).not.toContain('X-Amz-Signature');
  });
});

async function openProxy(options: Parameters<typeof startForwardProxy>[0] = {}): Promise<ForwardProxy> {
  const proxy = await startForwardProxy(options);
  afterTest(proxy.close);
  return proxy;
}

async function put(transport: UndiciTransport, url: string): Promise<number> {
  const sent = { bytes: 3, open: () => Readable.from([Buffer.from('one')]) };
  const { status, body } = await transport.send({ method: 'PUT', url, headers: {}, body: sent });
  await discardBody(body);
  return status;
}

interface Secure extends AsyncDisposable {
  readonly port: number;
  readonly pair: Certificate;
  readonly ca: string;
  /** What it was sent. */
  readonly bodies: readonly string[];
}

/** A server with a certificate of its own for 127.0.0.1 and localhost. */
async function startSecure(own?: Certificate): Promise<Secure> {
  const pair = own ?? (await makeCertificate());
  const bodies: string[] = [];
  const secure = createTlsServer(pair, (request, response) => {
    void text(request).then((body) => response.end(String(bodies.push(body))));
  });
  const { port, close } = await listen(secure);
  return { port, pair, ca: pair.cert.toString(), bodies, [Symbol.asyncDispose]: close };
}
