import { Agent as HttpAgent } from 'node:http';
import type { AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import type * as ClientModule from '@aws-sdk/client-s3';
import { given } from '../../api/json';
import { keepIssuer } from '../../api/transport/sockets';
import { proxyOf } from '../../api/transport/proxies';
import { openTunnel, proxyRefused, proxyUnreachable } from '../../api/transport/tunnel';

/**
 * Agents for the S3 library, which knows no proxies: https connects through those of the process. The error of a refused
 * certificate carries its issuer.
 */
export function agentsFor(
  options: AgentOptions,
  timeoutMs: number,
): { httpAgent: HttpAgent; httpsAgent: HttpsAgent } {
  const [httpAgent, httpsAgent] = [new HttpAgent(options), new HttpsAgent(options)];
  const overTls = httpsAgent.createConnection.bind(httpsAgent);
  const connect: typeof overTls = (to, done) => {
    const socket = overTls(to, done);
    keepIssuer(socket);
    return socket;
  };
  httpsAgent.createConnection = (to, done) => {
    const target = targetOf(to.host ?? '', to.port);
    const proxy = proxyOf(new URL(`https://${target}`));
    if (proxy === undefined) return connect(to, done);
    openTunnel(target, { proxy, timeoutMs }).then(
      (socket) => {
        // Speaks TLS over this socket instead of one of its own.
        const overTunnel = { ...to, socket };
        done?.(null, connect(overTunnel) ?? socket);
      },
      (error: unknown) => done?.(error as Error, undefined as unknown as Duplex),
    );
    return undefined;
  };
  return { httpAgent, httpsAgent };
}

/** Gives requests over plain http to the proxy of the process, as they were signed. */
export function forwardPlainHttp(client: ClientModule.S3Client): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const request = args.request as PlainRequest;
      const { hostname, port, path, headers } = request;
      const target = targetOf(hostname, port ?? 80);
      const proxy = request.protocol === 'http:' ? proxyOf(new URL(`http://${target}`)) : undefined;
      if (proxy === undefined) return await next(args);
      const { protocol, hostname: host, port: at } = new URL(proxy.origin);
      const forwarded: PlainRequest = {
        ...request,
        protocol,
        hostname: host,
        port: at === '' ? undefined : Number(at),
        path: `http://${target}${path}`,
        headers: { ...headers, ...given({ 'proxy-authorization': proxy.authorization }) },
      };
      const sent = await next({ ...args, request: forwarded }).catch((error: unknown) => {
        const { syscall = '' } = error as NodeJS.ErrnoException;
        throw ['connect', 'getaddrinfo'].includes(syscall) ? proxyUnreachable(proxy, error) : error;
      });
      const { statusCode } = sent.response as { statusCode?: number };
      if (statusCode === 407) throw proxyRefused(proxy, target, statusCode);
      return sent;
    },
    { step: 'deserialize', priority: 'low', name: 'forwardPlainHttp' },
  );
}

/** What the library's handler sends. */
interface PlainRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

function targetOf(host: string, port: number | string | null | undefined): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${String(port)}`;
}
