import { afterEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
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

async function saysOf(
  address: string,
  tls: Probed['tls'] = false,
  signal = new AbortController().signal,
): Promise<string | undefined> {
  return (await probeTemporal({ address, tls }, signal))?.says;
}

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
      /^the host name (is unknown|can’t be looked up for now)$/,
    );
  });

  test('reports a web server as not Temporal', async () => {
    expect(await saysOf(await listening(createHttp()))).toBe('what answers there isn’t Temporal');
  });

  test('reports a server that ends every connection as not Temporal', async () => {
    expect(await saysOf(await listening(createTcp((socket) => socket.destroy())))).toBe(
      'what answers there isn’t Temporal',
    );
  });

  test('gives up a silent server when the time is over', async () => {
    const over = new AbortController();
    const address = await listening(createTcp((socket) => socket.once('data', () => over.abort())));
    expect(await saysOf(address, false, over.signal)).toBe('what answers there isn’t Temporal');
  });
});

describe('the probe with TLS', () => {
  test('names an unknown certificate authority, accepts a known one, and says "it expects TLS" to plain requests', async () => {
    const pair = await makeCertificate();
    const address = await listening(createSecureServer(pair));
    expect(await saysOf(address, {})).toBe(
      'its TLS certificate isn’t accepted (DEPTH_ZERO_SELF_SIGNED_CERT)',
    );
    expect(await saysOf(address, { ca: pair.cert.toString() })).toBeUndefined();
    expect(await saysOf(address)).toBe('it expects TLS');
  });

  test('names a server without TLS', async () => {
    expect(await saysOf(await listening(createHttp()), {})).toBe('it doesn’t speak TLS');
  });
});
