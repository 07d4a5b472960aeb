import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import type { Duplex } from 'node:stream';

export interface ForwardProxy {
  readonly url: string;
  /** Method and address of every request without its query; `CONNECT host:port` for a tunnel. */
  readonly seen: readonly string[];
  /** Bytes that clients sent through tunnels, by `host:port`. */
  readonly tunnelled: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** A forward proxy on loopback, as HTTP_PROXY (plain http) and HTTPS_PROXY (tunnels by CONNECT) name one. */
export async function startForwardProxy(): Promise<ForwardProxy> {
  const seen: string[] = [];
  const tunnelled = new Map<string, number>();
  const open = new Set<Duplex>();
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
  server.on('connect', ({ url = '' }, client: Duplex, head: Buffer) => {
    seen.push(`CONNECT ${url}`);
    const { hostname, port } = new URL(`http://${url}`);
    const target = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      client.on('data', (chunk: Buffer) => tunnelled.set(url, (tunnelled.get(url) ?? 0) + chunk.length));
      pipeline(client, target, () => undefined);
      pipeline(target, client, () => undefined);
    });
    target.on('error', () => client.destroy());
    client.on('error', () => target.destroy());
    open.add(client).add(target);
  });
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    tunnelled,
    async close() {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
