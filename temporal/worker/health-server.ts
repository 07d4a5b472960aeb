import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigurationError } from '../../api/errors';

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Answers /healthz with 200 as long as the process lives, /readyz with 200 only while `isReady()`, else 503; on all addresses of
 * this machine. Rejects with `Configuration` where the port cannot be had.
 */
export async function startHealthServer(port: number, isReady: () => boolean): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const ready = request.url === '/healthz' || (request.url === '/readyz' && isReady());
    const known = request.url === '/healthz' || request.url === '/readyz';
    response.writeHead(known ? (ready ? 200 : 503) : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: ready }));
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
