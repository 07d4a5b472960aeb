import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from '../options';

const HOST = '127.0.0.1';

export interface Listener {
  /** As `http://127.0.0.1:4100`. */
  readonly origin: string;
  /** Also ends open connections. */
  close(): Promise<void>;
}

export type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Starts to listen. If a handler throws, the request is answered 500, and the error is on stderr. Rejects if the port is
 * taken.
 */
export async function listen(
  handle: Handle,
  { port, tls }: { port: number; tls?: TlsOptions | undefined },
): Promise<Listener> {
  const options = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 60_000 };
  const server = tls === undefined ? createServer(options) : createTlsServer({ ...options, ...tls });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response).catch((error: unknown) => answerFailure(request, response, error));
  });
  await once(server.listen(port, HOST), 'listening');
  const bound = server.address() as AddressInfo;
  const scheme = tls === undefined ? 'http' : 'https';
  return {
    origin: `${scheme}://${HOST}:${bound.port}`,
    async close() {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
}

function answerFailure(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  // The client has gone, or the simulator closes.
  if (request.socket.destroyed) return;
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`The simulator failed at ${request.method ?? ''} ${pathOf(request)}: ${what}\n`);
  if (response.headersSent) request.destroy();
  else response.writeHead(500, { connection: 'close' }).end('The simulator failed: see its stderr.');
}

/** Without the query, which may sign the request. */
export function pathOf({ url = '' }: IncomingMessage): string {
  return url.replace(/\?.*$/s, '');
}
