import { afterEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createSecureServer, createServer as createHttp2 } from 'node:http2';
import { createServer as createTcp, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { probeTemporal, type Probed } from '../../../../temporal/client/probe-temporal';
import { freePort } from '../../../support/free-port';
import { createTempDir } from '../../../support/temp-dir';

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

async function certificate(): Promise<{ readonly key: Buffer; readonly cert: Buffer }> {
  const folder = await createTempDir('certificate');
  const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert, ...names], { stdio: 'ignore' });
  const pair = { key: readFileSync(key), cert: readFileSync(cert) };
  await folder.remove();
  return pair;
}

async function saysOf(
  address: string,
  tls: Probed['tls'] = false,
  signal = new AbortController().signal,
): Promise<string | undefined> {
  return (await probeTemporal({ address, tls }, signal))?.says;
}

describe('without TLS', () => {
  test('a server of HTTP/2 has no problem', async () => {
    expect(await saysOf(await listening(createHttp2()))).toBeUndefined();
  });

  test('a port that nobody listens at is refused', async () => {
    expect(await saysOf(`127.0.0.1:${String(await freePort())}`)).toBe(
      'connection refused, nothing listens there',
    );
  });

  test('a host that nobody knows is named', async () => {
    expect(await saysOf('nowhere.invalid:7233')).toMatch(
      /^the host name (is unknown|can’t be looked up for now)$/,
    );
  });

  test('a web server is not Temporal', async () => {
    expect(await saysOf(await listening(createHttp()))).toBe('what answers there isn’t Temporal');
  });

  test('a server that ends every connection is not, either', async () => {
    expect(await saysOf(await listening(createTcp((socket) => socket.destroy())))).toBe(
      'what answers there isn’t Temporal',
    );
  });

  test('a server that stays silent is given up when time is over', async () => {
    const over = new AbortController();
    const address = await listening(createTcp((socket) => socket.once('data', () => over.abort())));
    expect(await saysOf(address, false, over.signal)).toBe('what answers there isn’t Temporal');
  });
});

describe('with TLS', () => {
  test('a certificate of an unknown authority is named, a known one is fine, and plain words are answered with "it expects TLS"', async () => {
    const pair = await certificate();
    const address = await listening(createSecureServer(pair));
    expect(await saysOf(address, {})).toBe(
      'its TLS certificate isn’t accepted (DEPTH_ZERO_SELF_SIGNED_CERT)',
    );
    expect(await saysOf(address, { ca: pair.cert.toString() })).toBeUndefined();
    expect(await saysOf(address)).toBe('it expects TLS');
  });

  test('a server without TLS is named', async () => {
    expect(await saysOf(await listening(createHttp()), {})).toBe('it doesn’t speak TLS');
  });
});
