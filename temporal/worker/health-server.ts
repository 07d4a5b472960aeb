import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigurationError } from '../../api/errors';

/** The host value for all addresses of this machine, IPv4 and IPv6. */
export const ALL_INTERFACES = '*';
export const DEFAULT_HEALTH_HOST = '127.0.0.1';

export interface HealthAddress {
  readonly port: number;
  /** An address or name of this machine, or `ALL_INTERFACES`. Default `DEFAULT_HEALTH_HOST`. */
  readonly host?: string | undefined;
}

export interface HealthServer {
  readonly port: number;
  /** As `http://127.0.0.1:8080`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface HealthPages {
  /** Why the process is not ready, one phrase each. Empty: it is ready. */
  notReady(): readonly string[];
  /** Content of /metrics. Unset: the page does not exist. */
  readonly metrics?: () => Promise<{ readonly contentType: string; readonly text: string }>;
}

/**
 * Serves /healthz, /readyz and /metrics. /healthz returns 200 while the process lives. /readyz returns 200 while the
 * process is ready, otherwise 503 and the reasons. Rejects with `Configuration` if the port can't be opened on this
 * host.
 */
export async function startHealthServer(
  { port, host = DEFAULT_HEALTH_HOST }: HealthAddress,
  pages: HealthPages,
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '', response, pages);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(portError({ port, host }, error)));
    server.listen({ port, ...(host === ALL_INTERFACES ? {} : { host }) }, resolve);
  });
  const address = server.address();
  return {
    port: portOf(address),
    url: urlOf(address),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(url: string, response: ServerResponse, pages: HealthPages): Promise<void> {
  if (url === '/metrics' && pages.metrics !== undefined) {
    await answerMetrics(response, pages.metrics);
    return;
  }
  const [status, body] = verdictOf(url, pages);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function verdictOf(url: string, pages: HealthPages): readonly [status: number, body: object] {
  if (url === '/healthz') return [200, { ok: true }];
  if (url !== '/readyz') return [404, { ok: false }];
  const notReady = pages.notReady();
  return notReady.length === 0 ? [200, { ok: true }] : [503, { ok: false, notReady }];
}

async function answerMetrics(
  response: ServerResponse,
  metrics: NonNullable<HealthPages['metrics']>,
): Promise<void> {
  try {
    const { contentType, text } = await metrics();
    response.writeHead(200, { 'content-type': contentType });
    response.end(text);
  } catch {
    response.writeHead(500).end();
  }
}

/** Error codes from opening a port if the host is not an address of this machine. */
const WRONG_HOST: readonly unknown[] = ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EAI_AGAIN', 'EINVAL', 'ENOTFOUND'];

function portError({ port, host }: Required<HealthAddress>, error: Error): ConfigurationError {
  const code = 'code' in error ? error.code : undefined;
  if (WRONG_HOST.includes(code)) {
    return new ConfigurationError(
      'healthHost',
      `The health port can't be opened at ${String(host)}, which is not an address of this machine (${String(code)}).`,
      {
        remedy: {
          kind: 'choose-health-host',
          thisMachine: DEFAULT_HEALTH_HOST,
          allInterfaces: ALL_INTERFACES,
        },
      },
    );
  }
  const inUse = code === 'EADDRINUSE';
  return new ConfigurationError(
    'healthPort',
    inUse ? `Port ${port} is in use.` : `Port ${port} can't be opened for health checks: ${error.message}.`,
    { remedy: { kind: 'choose-health-port' } },
  );
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function urlOf(address: AddressInfo | string | null): string {
  if (typeof address !== 'object' || address === null) return '';
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
