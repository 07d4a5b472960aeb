import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';

export interface LocalServer {
  readonly origin: string;
  /** `host:port` */
  readonly host: string;
  /** Open connections. */
  readonly requests: IncomingMessage[];
  close(): Promise<void>;
}

/** An HTTP server on loopback that records its requests. */
export async function serve(listener: RequestListener): Promise<LocalServer> {
  const requests: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const host = `127.0.0.1:${address.port}`;
  return {
    origin: `http://${host}`,
    host,
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
