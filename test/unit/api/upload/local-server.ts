import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { afterTest } from '../../../support/after-test';
import { listen } from '../../../support/listen';

export interface LocalServer {
  readonly origin: string;
  /** `host:port` */
  readonly host: string;
  readonly requests: IncomingMessage[];
}

/** An HTTP server on loopback that records its requests, and ends with the test. */
export async function serve(listener: RequestListener): Promise<LocalServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  const { url, port, close } = await listen(server);
  afterTest(close);
  return { origin: url, host: `127.0.0.1:${port}`, requests };
}
