import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigurationError } from '../../api/errors';

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface HealthPages {
  /** What keeps the process from being ready, a phrase each; empty: it is. */
  notReady(): readonly string[];
  /** The page /metrics. Unset: there is none. */
  readonly metrics?: () => Promise<{ readonly contentType: string; readonly text: string }>;
}

/**
 * Answers /healthz with 200 as long as the process lives; /readyz with 200 only while nothing keeps it from being ready, else with 503 and what
 * does; /metrics. On all addresses of this machine. Rejects with `Configuration` where the port cannot be had.
 */
export async function startHealthServer(port: number, pages: HealthPages): Promise<HealthServer> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '', response, pages);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(portError(port, error)));
    server.listen(port, resolve);
  });
  return {
    port: portOf(server.address()),
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

function portError(port: number, error: Error): ConfigurationError {
  const inUse = 'code' in error && error.code === 'EADDRINUSE';
  return new ConfigurationError(
    'healthPort',
    inUse ? `Port ${port} is in use.` : `Port ${port} cannot be opened for health checks: ${error.message}.`,
    'Choose another --health-port.',
  );
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
