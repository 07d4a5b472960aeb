import { networkInterfaces } from 'node:os';
import { listenError, socketAddress, startHealthServer } from '../../../../temporal/worker/health-server';
import type { HealthServer, ListenAddress } from '../../../../temporal/worker/health-server';

const servers: HealthServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const addresses = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
/** An address of this machine that others can reach, if it has one. */
const outer = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

async function start(
  address: Partial<ListenAddress> = {},
  notReady: () => readonly string[] = () => [],
): Promise<HealthServer> {
  const server = await startHealthServer({ host: '127.0.0.1', port: 0, ...address }, notReady);
  servers.push(server);
  return server;
}

const answersAt = (host: string, { port }: HealthServer): Promise<boolean> =>
  fetch(`http://${host}:${String(port)}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

describe('startHealthServer', () => {
  it('is healthy while it lives and ready only while nothing prevents it, which it names', async () => {
    let notReady = ['the worker drains'];
    const server = await start({}, () => notReady);
    const statusOf = async (path: string): Promise<number> => (await fetch(server.url + path)).status;
    expect(await Promise.all(['/healthz', '/readyz', '/other'].map(statusOf))).toEqual([200, 503, 404]);
    const answer = await fetch(`${server.url}/readyz`);
    expect(await answer.json()).toEqual({ ok: false, notReady: ['the worker drains'] });
    notReady = [];
    expect(await statusOf('/readyz')).toBe(200);
  });

  it('listens only for this machine at its loopback', async () => {
    const server = await start();
    expect(server.url).toBe(`http://127.0.0.1:${String(server.port)}`);
    expect(await answersAt('127.0.0.1', server)).toBe(true);
    // On a machine without a network there is nobody to keep out.
    if (outer !== undefined) expect(await answersAt(outer, server)).toBe(false);
  });

  it.each([
    ['all interfaces', '*', /^http:\/\/(\[::\]|0\.0\.0\.0):\d+$/],
    ['all of IPv4', '0.0.0.0', /^http:\/\/0\.0\.0\.0:\d+$/],
    ['an address of this machine', outer ?? '127.0.0.1', /^http:\/\/[\d.]+:\d+$/],
  ])('listens at %s, and names its address', async (_label, host, url) => {
    const at = await start({ host });
    expect(at.url).toMatch(url);
    expect(await answersAt(outer ?? '127.0.0.1', at)).toBe(true);
  });

  it('names a port that another process uses', async () => {
    const { port } = await start();
    await expect(start({ port })).rejects.toMatchObject({
      message: `The address 127.0.0.1:${String(port)} for health can't be opened: the port is in use.`,
    });
  });

  it.each([
    ['an address of another machine', '203.0.113.99'],
    ['an address of IPv6 without its interface', 'fe80::1'],
  ])('names the host when it is %s', async (_label, host) => {
    await expect(start({ host })).rejects.toMatchObject({
      message: `The address ${host}:0 for health can't be opened: this is not an address of this machine.`,
    });
  });
});

it.each([
  ['127.0.0.1', '127.0.0.1:9464'],
  ['::1', '[::1]:9464'],
  ['*', addresses.some(({ family }) => family === 'IPv6') ? '[::]:9464' : '0.0.0.0:9464'],
])('Temporal gets the host %s as %s', (host, text) => {
  expect(socketAddress({ host, port: 9464 })).toBe(text);
});

/** As Temporal's core 1.24 says it. */
it.each([
  ['Failed to start prometheus metrics exporter: Address already in use (os error 98)', 'the port is in use'],
  [
    'Failed to start prometheus metrics exporter: Cannot assign requested address (os error 99)',
    'this is not an address of this machine',
  ],
  [
    'metricsExporter.prometheus.socketAddr: invalid socket address syntax',
    'this is not an address of this machine',
  ],
  ['Permission denied (os error 13)', 'Permission denied (os error 13)'],
])('the error "%s" becomes "%s"', (message, problem) => {
  const at = { host: '10.0.0.7', port: 9464 };
  expect(listenError('metrics', at, new Error(message))).toMatchObject({
    code: 'Configuration',
    message: `The address 10.0.0.7:9464 for metrics can't be opened: ${problem}.`,
    facts: { field: 'metrics', hint: expect.stringContaining('a free port for metrics') },
  });
});
