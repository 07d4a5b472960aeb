import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { ConfigurationError } from '../../api/errors';

export interface HealthServer {
  readonly port: number;
  /** As `http://127.0.0.1:8080`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves /healthz and /readyz. /healthz returns 200 while the process lives. /readyz returns 200 while the process is
 * ready, otherwise 503 and the reasons. Rejects with `Configuration` if the address can't be opened. `notReady`: why the
 * process is not ready, one phrase each; empty if it is.
 */
export async function startHealthServer(
  at: ListenAddress,
  notReady: () => readonly string[],
): Promise<HealthServer> {
  const { host, port } = at;
  const server = createServer((request, response) => {
    const [status, body] = verdictOf(request.url ?? '', notReady);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError('health', at, error)));
    server.listen({ port, ...(host === ALL_INTERFACES ? {} : { host }) }, resolve);
  });
  const { address, port: opened } = server.address() as AddressInfo;
  return {
    port: opened,
    url: `http://${socketAddress({ host: address, port: opened })}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function verdictOf(url: string, reasons: () => readonly string[]): readonly [status: number, body: object] {
  if (url === '/healthz') return [200, { ok: true }];
  if (url !== '/readyz') return [404, { ok: false }];
  const notReady = reasons();
  return notReady.length === 0 ? [200, { ok: true }] : [503, { ok: false, notReady }];
}

/** The host value for all addresses of this machine, IPv4 and IPv6. */
export const ALL_INTERFACES = '*';
export const LOOPBACK = '127.0.0.1';

/** Where a worker answers. */
export interface ListenAddress {
  /** An IP address of this machine, or `ALL_INTERFACES`. */
  readonly host: string;
  readonly port: number;
}

/** As `127.0.0.1:9464` or `[::1]:9464`, which Temporal's core expects. */
export function socketAddress({ host, port }: ListenAddress): string {
  const ip = host === ALL_INTERFACES ? (hasIpv6() ? '::' : '0.0.0.0') : host;
  return `${ip.includes(':') ? `[${ip}]` : ip}:${String(port)}`;
}

/** `::` also takes IPv4, but can't be opened where IPv6 is turned off. */
function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some((one) => one?.some(({ family }) => family === 'IPv6'));
}

const IN_USE = /EADDRINUSE|address (?:already )?in use/i;
const WRONG_HOST =
  /EADDRNOTAVAIL|EAFNOSUPPORT|EAI_AGAIN|EINVAL|ENOTFOUND|cannot assign requested|address family|socket address/i;

/** Why an address can't be opened, and what to do. `setting`: its name in `WorkerConfig`. */
export function listenError(
  setting: 'health' | 'metrics' | 'http',
  address: ListenAddress,
  { message }: Error,
): ConfigurationError {
  const problem = IN_USE.test(message)
    ? 'the port is in use'
    : WRONG_HOST.test(message)
      ? 'this is not an address of this machine'
      : message;
  return new ConfigurationError(
    setting,
    `The address ${address.host}:${String(address.port)} for ${setting} can't be opened: ${problem}.`,
    `Choose a free port for ${setting}; health and metrics each need their own. As host, 127.0.0.1 is for this machine only, "*" for all its addresses.`,
  );
}
