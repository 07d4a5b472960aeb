import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ALL_INTERFACES, listenError, socketAddress } from './listen-address';
import type { ListenAddress } from './listen-address';

export interface HealthServer {
  readonly port: number;
  /** As `http://127.0.0.1:8080`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface HealthPages {
  /** Why the process is not ready, one phrase each. Empty: it is ready. */
  notReady(): readonly string[];
}

/**
 * Serves /healthz and /readyz. /healthz returns 200 while the process lives. /readyz returns 200 while the process is
 * ready, otherwise 503 and the reasons. Rejects with `Configuration` if the address can't be opened.
 */
export async function startHealthServer(at: ListenAddress, pages: HealthPages): Promise<HealthServer> {
  const { host, port } = at;
  const server = createServer((request, response) => {
    const [status, body] = verdictOf(request.url ?? '', pages);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError('health', at, error)));
    server.listen({ port, ...(host === ALL_INTERFACES ? {} : { host }) }, resolve);
  });
  const { address, port: opened } = addressOf(server);
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

function verdictOf(url: string, pages: HealthPages): readonly [status: number, body: object] {
  if (url === '/healthz') return [200, { ok: true }];
  if (url !== '/readyz') return [404, { ok: false }];
  const notReady = pages.notReady();
  return notReady.length === 0 ? [200, { ok: true }] : [503, { ok: false, notReady }];
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server listens on no port.');
  return address;
}
