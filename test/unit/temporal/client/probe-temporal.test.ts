import { afterEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createSecureServer, createServer as createHttp2 } from 'node:http2';
import { createServer as createTcp, type AddressInfo, type Server } from 'node:net';
import { probeTemporal, type Probed } from '../../../../temporal/client/probe-temporal';
import { makeCertificate } from '../../../support/certificate';
import { freePort } from '../../../support/free-port';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listening(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

const probe = (
  address: string,
  tls: Probed['tls'] = false,
  signal = new AbortController().signal,
): ReturnType<typeof probeTemporal> => probeTemporal({ address, tls }, signal);
const saysOf = async (...at: Parameters<typeof probe>): Promise<string | undefined> =>
  (await probe(...at))?.says;

describe('the probe without TLS', () => {
  test('accepts a server of HTTP/2', async () => {
    expect(await saysOf(await listening(createHttp2()))).toBeUndefined();
  });

  test('reports a refused port that nothing listens at', async () => {
    expect(await saysOf(`127.0.0.1:${String(await freePort())}`)).toBe(
      'connection refused, nothing listens there',
    );
  });

  test('names an unknown host', async () => {
    expect(await saysOf('nowhere.invalid:7233')).toMatch(
      /^the host name (is unknown|can't be looked up for now)$/,
    );
  });

  test.each([
    ['a web server', () => createHttp()],
    ['a server that expects TLS', async () => createSecureServer(await makeCertificate())],
    ['a server that ends every connection', () => createTcp((socket) => socket.destroy())],
  ])('reports %s as not Temporal', async (_what, create) => {
    expect(await saysOf(await listening(await create()))).toBe("what answers there isn't Temporal");
  });

  test('does not claim to know a server that is silent until the time is over', async () => {
    const over = new AbortController();
    const address = await listening(createTcp((socket) => socket.once('data', () => over.abort())));
    expect(await saysOf(address, false, over.signal)).toBe("it accepts the connection, but doesn't answer");
  });
});

describe('the probe with TLS', () => {
  const checkTls = { hint: expect.stringContaining('{temporalTls}') };

  test('accepts a certificate of the authority that is set, and names the issuer of any other', async () => {
    const [pair, other] = [await makeCertificate(), await makeCertificate()];
    const address = await listening(createSecureServer(pair));
    const ca = pair.cert.toString();
    expect(await saysOf(address, { ca })).toBeUndefined();
    expect(await probe(address, {})).toEqual({
      says: "its TLS certificate, issued by localhost, isn't accepted (DEPTH_ZERO_SELF_SIGNED_CERT)",
      ...checkTls,
    });
    for (const tls of [{ ca: other.cert.toString() }, { ca, servername: 'temporal.example' }])
      expect(await probe(address, tls)).toMatchObject(checkTls);
  });

  test('says what to check if a server asks for a client certificate', async () => {
    const pair = await makeCertificate();
    const ca = pair.cert.toString();
    const asking = { ...pair, ca, requestCert: true, rejectUnauthorized: true };
    const address = await listening(createSecureServer(asking));
    expect(await probe(address, { ca })).toEqual({
      says: 'the TLS handshake fails (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)',
      ...checkTls,
    });
    expect(await saysOf(address, { ca, cert: ca, key: pair.key.toString() })).toBeUndefined();
  });

  test('names the host, by which a server with several certificates chooses one', async () => {
    const pair = await makeCertificate();
    const names: string[] = [];
    const server = createSecureServer({
      ...pair,
      SNICallback: (name, choose) => {
        names.push(name);
        choose(null);
      },
    });
    const port = (await listening(server)).split(':')[1] ?? '';
    const ca = pair.cert.toString();
    expect(await saysOf(`localhost:${port}`, { ca })).toBeUndefined();
    await saysOf(`localhost:${port}`, { ca, servername: 'temporal.example' });
    expect(names).toEqual(['localhost', 'temporal.example']);
  });

  test.each([
    ['a server without TLS', () => createHttp(), /^the TLS handshake fails \(\w+\)$/],
    [
      'a web server with TLS',
      async () => createHttps({ ...(await makeCertificate()), ALPNProtocols: ['http/1.1'] }),
      /^the TLS handshake fails \(\w*NO_APPLICATION_PROTOCOL\)$/,
    ],
  ])('ends within seconds at %s', async (_what, create, says) => {
    expect(await saysOf(await listening(await create()), {})).toMatch(says);
  });
});
