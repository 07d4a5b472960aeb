import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { configureGlobalAxiosDefaults, OutboundHttp } from '@n8n/backend-network';
import { Container } from '@n8n/di';
import { readStart } from '../../api/answers/read-answer';
import { systemClock } from '../../api/clock';
import type { Transport } from '../../api/transport/transport';
import { createN8nTransport } from '../../n8n/n8n-transport';
import { goesThroughProxy } from '../../settings/n8n-proxy';
import { startForwardProxy } from '../support/forward-proxy';
import { describeTransport } from '../unit/api/transport/transport-contract';

// n8n does this when it starts. Without it the library under its helper uses the proxies too.
configureGlobalAxiosDefaults();

const overN8n = (): Transport =>
  createN8nTransport({
    httpRequest: (options) => Container.get(OutboundHttp).requests().request(options),
  });

describeTransport({
  name: "n8n's HTTP helper",
  make: () => ({ transport: overN8n(), close: () => Promise.resolve() }),
});

test.each([
  [
    'a port that speaks plain http',
    'EPROTO',
    'write EPROTO 80:error:0A00010B:SSL routines:wrong version number',
    'unsent',
  ],
  ['no common protocol', 'ERR_SSL_UNSUPPORTED_PROTOCOL', 'unsupported protocol', 'unsent'],
  ['a certificate that ended', 'CERT_HAS_EXPIRED', 'certificate has expired', 'unsent'],
  ['a broken record', 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'bad record mac', 'ambiguous'],
  ['any other break', 'EPROTO', 'read EPROTO 80:error:0A0003FC:SSL routines:bad record mac', 'ambiguous'],
])(
  '%s: the moment when TLS breaks decides whether a request may have arrived',
  async (_what, code, text, outcome) => {
    const failing = createN8nTransport({
      httpRequest: () =>
        Promise.reject(Object.assign(new Error(text), { code, syscall: text.split(' ')[0] })),
    });
    const sending = failing.send({
      method: 'POST',
      url: 'https://a.example/upload',
      headers: {},
      body: '{}',
    });
    await expect(sending).rejects.toMatchObject({ facts: { outcome } });
  },
);

test('the time-out of an answer counts from the last byte, so that a part may take longer', async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/part`;
  async function* slowly(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a');
    // A real pause: the test needs a sender that takes longer than the time-out.
    await systemClock.sleep(9_000);
    yield Buffer.from('b');
  }
  try {
    const { status } = await overN8n().send({
      method: 'PUT',
      url,
      headers: {},
      body: { bytes: 2, open: slowly },
      timeouts: { headersMs: 8_000 },
    });
    expect(status).toBe(200);
  } finally {
    server.close();
  }
});

test('the answer of a server that reads nothing of a part is reported, not the reset that follows', async () => {
  const text = '<Error><Code>EntityTooLarge</Code></Error>';
  const server = createNetServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', () => {
        socket.pause();
        const headers = `content-length: ${text.length}\r\nconnection: close\r\n\r\n`;
        socket.write(`HTTP/1.1 413 Too Large\r\n${headers}${text}`, () => socket.destroy());
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/part`;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < 512; at += 1) yield Buffer.alloc(128 * 1024);
  }
  try {
    for (let call = 0; call < 10; call += 1) {
      const body = { bytes: 512 * 128 * 1024, open: pieces };
      const answer = await overN8n().send({ method: 'PUT', url, headers: {}, body });
      expect([answer.status, await readStart(answer.body, 1_000)]).toEqual([413, text]);
    }
  } finally {
    server.close();
  }
});

describe('a request to an address that was checked', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const name of ['HTTP_PROXY', 'NO_PROXY']) Reflect.deleteProperty(process.env, name);
    for (const close of closing.splice(0)) await close();
  });
  const portOf = async (server: NetServer): Promise<number> => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    return (server.address() as AddressInfo).port;
  };
  const ask = (url: string, address: string): ReturnType<Transport['send']> =>
    overN8n().send({ method: 'GET', url, headers: {}, addresses: [address] });

  test('uses the host name of the URL in TLS as well', async () => {
    const names: string[] = [];
    // It has no certificate, since the client sends the name before one is needed.
    const server = createTlsServer({
      SNICallback(name, done) {
        names.push(name);
        done(null);
      },
    });
    server.on('tlsClientError', () => undefined);
    const url = `https://checked.invalid:${await portOf(server)}/`;
    await expect(ask(url, '127.0.0.1')).rejects.toMatchObject({ code: 'Transport' });
    expect(names).toEqual(['checked.invalid']);
  });

  test('goes through the proxy by its name, and directly to its address if NO_PROXY names its host', async () => {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.host ?? '');
      response.end();
    });
    const port = await portOf(server);
    const proxy = await startForwardProxy();
    closing.push(() => proxy.close());
    process.env['HTTP_PROXY'] = proxy.url;
    expect((await ask(`http://localhost:${port}/`, '127.0.0.2')).status).toBe(200);
    expect(proxy.seen).toEqual([`GET http://localhost:${port}/`]);
    process.env['NO_PROXY'] = 'checked.invalid';
    expect((await ask(`http://checked.invalid:${port}/`, '127.0.0.1')).status).toBe(200);
    expect([proxy.seen.length, seen]).toEqual([1, [`localhost:${port}`, `checked.invalid:${port}`]]);
  });

  test('is refused, and its answer is not read, if this n8n connects elsewhere', async () => {
    const server = createServer((_request, response) => response.end('secret'));
    const port = await portOf(server);
    let body: IncomingMessage | undefined;
    const unaborted = createN8nTransport({
      httpRequest: ({ url }) =>
        new Promise((resolve, reject) => {
          get(url, (answer) => {
            body = answer;
            resolve({ statusCode: answer.statusCode, headers: answer.headers, body: answer });
          }).on('error', reject);
        }),
    });
    const sending = unaborted.send({
      method: 'GET',
      url: `http://127.0.0.1:${port}/`,
      headers: {},
      addresses: ['127.0.0.2'],
    });
    await expect(sending).rejects.toMatchObject({
      message: expect.stringContaining('another address than the one that was checked'),
      facts: { hint: expect.stringContaining('N8N_SSRF_PROTECTION_ENABLED'), details: { permanent: true } },
    });
    expect(body?.destroyed).toBe(true);
  });
});

describe('the decision whether n8n uses a proxy', () => {
  const NAMES = [
    'HTTP_PROXY',
    'https_proxy',
    'ALL_PROXY',
    'all_proxy',
    'NO_PROXY',
    'no_proxy',
    'npm_config_proxy',
  ];
  const host = fc.constantFrom('a.example', 'b.a.example', 'example', '10.0.0.7');
  const exempt = fc.constantFrom(
    '',
    '*',
    'a.example',
    '.example',
    '*.a.example',
    'a.example:8080',
    '10.0.0.7',
    ' ,',
  );
  const url = fc
    .tuple(fc.constantFrom('http', 'https'), host, fc.constantFrom('', ':8080', ':443'))
    .map(([scheme, name, port]) => `${scheme}://${name}${port}/path`);
  const value = (name: string): fc.Arbitrary<string | undefined> =>
    fc.option(
      name.toLowerCase() === 'no_proxy'
        ? fc.array(exempt, { maxLength: 3 }).map((entries) => entries.join(','))
        : fc.constantFrom('', 'http://proxy.example:3128', 'proxy.example'),
      { nil: undefined },
    );

  const { getProxyForUrl } = jest.requireActual<{ getProxyForUrl(url: string): string }>('proxy-from-env');

  test('matches the library that n8n uses', () => {
    const before = { ...process.env };
    try {
      fc.assert(
        fc.property(url, fc.tuple(...NAMES.map(value)), (target, values) => {
          const env = Object.fromEntries(
            NAMES.flatMap((name, at) => (values[at] === undefined ? [] : [[name, values[at]]])),
          );
          for (const name of Object.keys(process.env)) {
            if (/proxy$/i.test(name)) Reflect.deleteProperty(process.env, name);
          }
          Object.assign(process.env, env);
          expect(goesThroughProxy(new URL(target), env)).toBe(getProxyForUrl(target) !== '');
        }),
        { numRuns: 500 },
      );
    } finally {
      for (const name of NAMES) Reflect.deleteProperty(process.env, name);
      Object.assign(process.env, before);
    }
  });
});
