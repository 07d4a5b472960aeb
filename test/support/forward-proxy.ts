import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

export interface ForwardProxy {
  readonly url: string;
  /** Method and address of every request that came by, without its query. */
  readonly seen: readonly string[];
  close(): Promise<void>;
}

/** A forward proxy for plain http on loopback, as HTTP_PROXY names one. */
export async function startForwardProxy(): Promise<ForwardProxy> {
  const seen: string[] = [];
  const server = createServer((incoming, answer) => {
    const target = new URL(incoming.url ?? '');
    seen.push(`${incoming.method} ${target.origin}${target.pathname}`);
    const { method, headers } = incoming;
    const outgoing = forward(target, { method, headers, agent: false }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      pipeline(response, answer, () => undefined);
    });
    outgoing.on('error', () => answer.destroy());
    pipeline(incoming, outgoing, () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
