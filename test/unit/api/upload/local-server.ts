import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { listen } from '../../../support/listen';

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
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  const { url, port, close } = await listen(server);
  return { origin: url, host: `127.0.0.1:${port}`, requests, close };
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
