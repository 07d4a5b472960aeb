import { request as requestPlain } from 'node:http';
import { request as requestOverTls } from 'node:https';
import type { Socket } from 'node:net';
import { TransportError } from '../errors';
import { given } from '../json';
import { keepIssuer } from './sockets';
import type { Proxy } from './proxies';
import { transportErrorOf } from './undici-failure';

interface Through {
  readonly proxy: Proxy;
  /** For the connection and the answer together. */
  readonly timeoutMs: number;
  /** PEM certificates of the only issuers to trust, if the proxy itself speaks TLS. Default: Node's own. */
  readonly ca?: string | undefined;
}

/**
 * Opens a connection to host and port through the proxy, by CONNECT. Rejects with a `TransportError` that names the
 * proxy; nothing was sent then.
 */
export function openTunnel(target: string, { proxy, timeoutMs, ca }: Through): Promise<Socket> {
  const { origin, authorization } = proxy;
  const request = (origin.startsWith('https:') ? requestOverTls : requestPlain)(origin, {
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...given({ 'proxy-authorization': authorization }) },
    agent: false,
    ...given({ ca }),
  });
  return new Promise((opened, failed) => {
    // A request's own timeout begins only once it is connected, and again with each byte.
    const deadline = setTimeout(() => {
      failed(proxyUnreachable(proxy, { code: 'UND_ERR_CONNECT_TIMEOUT' }));
      request.destroy();
    }, timeoutMs);
    request.on('error', (error) => {
      clearTimeout(deadline);
      failed(proxyUnreachable(proxy, error));
    });
    request.once('socket', keepIssuer);
    request.once('connect', ({ statusCode = 0 }, socket: Socket, head) => {
      clearTimeout(deadline);
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        failed(proxyRefused(proxy, target, statusCode));
        return;
      }
      socket.unshift(head);
      opened(socket);
    });
    request.end();
  });
}

/** The error for a proxy that can't be reached. It is retried, also if its name does not resolve. */
export function proxyUnreachable({ origin }: Proxy, error: unknown): TransportError {
  const { message, facts } = transportErrorOf({ error, begun: false, host: `the proxy ${origin}` });
  const { permanent } = facts.details ?? {};
  return new TransportError(
    message,
    { ...facts, outcome: 'unsent', details: { proxy: origin, ...given({ permanent }) } },
    { cause: error },
  );
}

/** The error for a proxy's own answer. */
export function proxyRefused(proxy: Proxy, target: string, status: number): TransportError {
  const name = `the proxy ${proxy.origin}`;
  const details = { proxy: proxy.origin };
  if (status !== 407) {
    return new TransportError(`${name} does not connect to ${target}: it answered ${status}`, {
      outcome: 'unsent',
      hint: 'Ask its operator to let this machine reach that host and port. A host that needs no proxy belongs into NO_PROXY.',
      details,
    });
  }
  const says =
    proxy.authorization === undefined ? 'asks for a user and a password' : 'refuses user and password';
  return new TransportError(`${name} ${says} (407)`, {
    outcome: 'unsent',
    hint: 'Put them into its address, before the host: user:password@host:port, with special characters as in URLs ("@" as %40).',
    // Another try in an hour would find the same password.
    details: { ...details, permanent: true },
  });
}
