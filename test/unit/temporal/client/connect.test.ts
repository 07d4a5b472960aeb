import { createServer as createHttp } from 'node:http';
import { createSecureServer, createServer as createHttp2 } from 'node:http2';
import type { ServerHttp2Stream } from 'node:http2';
import { connect, createServer } from 'node:net';
import type { Server } from 'node:net';
import { trustedRoots } from '../../../../temporal/client/temporal-network';
import { connectTemporal, tlsOf, unreachable } from '../../../../temporal/client/connect';
import { makeCertificate } from '../../../support/certificate';
import { freePort } from '../../../support/free-port';
import { afterTest } from '../../../support/after-test';
import { listen } from '../../../support/listen';

/** Longer than a problem that a server shows takes to be reported. */
const BUSY_MS = 3_000;

async function listening(server: Server): Promise<{ readonly address: string; readonly namespace: string }> {
  const { port, close } = await listen(server);
  afterTest(close);
  return { address: `127.0.0.1:${port}`, namespace: 'default' };
}

describe('connectTemporal', () => {
  it('says within seconds that nothing answers, and where', async () => {
    const address = `127.0.0.1:${String(await freePort())}`;
    await expect(connectTemporal({ address, namespace: 'default' })).rejects.toMatchObject({
      code: 'TemporalUnreachable',
      message: `No Temporal server answers at ${address}: connection refused, nothing listens there.`,
    });
  }, 30_000);

  it('does not claim to know a server that takes connections, but is silent', async () => {
    await expect(connectTemporal(await listening(createServer()))).rejects.toMatchObject({
      code: 'TemporalUnreachable',
      message: expect.stringMatching(/: no answer came in time\.$/),
    });
  }, 60_000);

  it.each<[what: string, create: () => Server | Promise<Server>, tls: boolean, says: RegExp]>([
    ['a web server', () => createHttp(), false, /: what answers there isn't Temporal\.$/],
    [
      'a server without TLS',
      () => createHttp(),
      true,
      /: the TLS handshake fails \(wrong version number\)\.$/,
    ],
    [
      'a certificate that is not trusted',
      async () => createSecureServer(await makeCertificate()),
      true,
      /: .*self-signed certificate.* \(its certificate was issued by localhost\)\.$/,
    ],
  ])(
    'says within seconds why it does not use %s',
    async (_what, create, tls, says) => {
      const at = { ...(await listening(await create())), tls };
      await expect(connectTemporal(at)).rejects.toMatchObject({ message: expect.stringMatching(says) });
    },
    30_000,
  );

  it('waits for a server that is too busy to answer within seconds', async () => {
    const busy = createHttp2();
    busy.on('stream', (stream: ServerHttp2Stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      // A message without a field.
      stream.end(Buffer.alloc(5));
    });
    const port = Number((await listening(busy)).address.split(':')[1]);
    const server = createServer((socket) => {
      const answering = connect(port, '127.0.0.1');
      socket.pipe(answering);
      setTimeout(() => answering.pipe(socket), BUSY_MS);
    });
    const connection = await connectTemporal(await listening(server));
    expect(connection.namespace).toBe('default');
    await connection.close();
  }, 60_000);

  it('refuses malformed codec keys before it connects', async () => {
    const at = { address: '127.0.0.1:1', namespace: 'default', codecKeys: 'nonsense' };
    await expect(connectTemporal(at)).rejects.toMatchObject({ code: 'Configuration' });
  });
});

/** What Node and this machine trust. */
const serverRootCACertificate = Buffer.from(trustedRoots());
const NAME = { serverNameOverride: 's' };
const OWN = {
  serverRootCACertificate: Buffer.from('ca'),
  clientCertPair: { crt: Buffer.from('c'), key: Buffer.from('k') },
};

it.each([
  ['is left to Temporal if nothing is set', {}, undefined],
  ['is on for an API key', { apiKey: 'k' }, { serverRootCACertificate }],
  ['is off in spite of an API key if that is set', { apiKey: 'k', tls: false }, false],
  ['is on if that is set', { tls: true }, { serverRootCACertificate }],
  ['has the server name that is set', { tls: NAME }, { ...NAME, serverRootCACertificate }],
  ['has its own certificates', { tls: OWN }, OWN],
])('TLS to Temporal %s, and an error names it first only if it is on', (_label, at, tls) => {
  expect(tlsOf(at)).toEqual(tls);
  const { facts } = unreachable({ address: 'localhost:7233', ...at }, undefined);
  expect(facts.hint).toMatch(typeof tls === 'object' ? /^TLS is on/ : /^Check address/);
});
