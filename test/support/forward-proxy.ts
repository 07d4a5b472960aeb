import { createServer, request as forward, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { pipeline } from 'node:stream';
import type { Duplex } from 'node:stream';
import type { Certificate } from './certificate';
import { listen } from './listen';

export type ForwardProxy = Awaited<ReturnType<typeof startForwardProxy>>;

interface ForwardProxyOptions {
  /** Addresses of names that no DNS knows. */
  readonly names?: Readonly<Record<string, string>>;
  /** `user:password` that every request must have. */
  readonly login?: string;
  /** Answers every tunnel with this status. */
  readonly refuses?: number;
  /** The proxy itself speaks TLS. */
  readonly tls?: Certificate;
}

/**
 * A forward proxy on loopback, as HTTP_PROXY (plain http) and HTTPS_PROXY (tunnels by CONNECT) name one. Its URL is
 * without user and password.
 */
export async function startForwardProxy(options: ForwardProxyOptions = {}) {
  const { names = {}, login, refuses, tls } = options;
  /** Method and address of every request without its query; `CONNECT host:port` for a tunnel. */
  const seen: string[] = [];
  /** Bytes that clients sent through tunnels, by `host:port`. */
  const tunnelled = new Map<string, number>();
  const addressOf = (name: string): string => names[name] ?? name.replace(/^\[|\]$/g, '');
  const isLoggedIn = (header: string | undefined): boolean =>
    login === undefined || header === `Basic ${Buffer.from(login).toString('base64')}`;
  const serve: RequestListener = (incoming, answer) => {
    const target = new URL(incoming.url ?? '');
    seen.push(`${incoming.method} ${target.origin}${target.pathname}`);
    const { 'proxy-authorization': given, ...headers } = incoming.headers;
    if (!isLoggedIn(given)) {
      incoming.resume();
      answer.writeHead(407, { 'proxy-authenticate': 'Basic realm="proxy"' }).end('<html>Log in</html>');
      return;
    }
    const { port, pathname, search } = target;
    const outgoing = forward(
      {
        host: addressOf(target.hostname),
        port: port === '' ? 80 : Number(port),
        path: pathname + search,
        method: incoming.method,
        headers,
        agent: false,
      },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        pipeline(response, answer, () => undefined);
      },
    );
    outgoing.on('error', () => answer.destroy());
    pipeline(incoming, outgoing, () => undefined);
  };
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  server.on('connect', ({ url = '', headers }, client: Duplex, head: Buffer) => {
    seen.push(`CONNECT ${url}`);
    client.on('error', () => undefined);
    const refusal = isLoggedIn(headers['proxy-authorization']) ? refuses : 407;
    if (refusal !== undefined) return void client.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\n\r\n`);
    const { hostname, port } = new URL(`http://${url}`);
    const target = connect(port === '' ? 80 : Number(port), addressOf(hostname), () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      client.on('data', (chunk: Buffer) => tunnelled.set(url, (tunnelled.get(url) ?? 0) + chunk.length));
      pipeline(client, target, () => undefined);
      pipeline(target, client, () => undefined);
    });
    target.on('error', () => client.end('HTTP/1.1 502 Bad gateway\r\ncontent-length: 0\r\n\r\n'));
  });
  const { url, close } = await listen(server);
  return { url: tls === undefined ? url : url.replace('http', 'https'), seen, tunnelled, close };
}
