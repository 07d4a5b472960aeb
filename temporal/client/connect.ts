import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Client, Connection, ConnectionOptions, GrpcRetryOptions, TLSConfig } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { temporalProxy, trustedRoots } from './temporal-network';
import type { TemporalAddress } from './temporal-network';
import { given } from '../../api/json';
import { MediaServiceError } from '../../api/errors';
import { createCodec, markUnknown, parseCodecKeys } from '../codec';
import { issuerOf } from '../../api/transport/sockets';
import { openTunnel } from '../../api/transport/tunnel';
import { systemClock } from '../../api/clock';

const CONNECT_TIMEOUT_MS = 10_000;

/** An open connection to one namespace. The caller that opens it must close it. */
export interface TemporalConnection {
  readonly client: Client;
  /** For lists and descriptions: a memo whose codec key is missing here is marked (`unreadableKeyOf`), not an error. */
  readonly lister: Client;
  readonly connection: Connection;
  readonly address: string;
  readonly namespace: string;
  /** Ends calls that nobody awaits any more. Takes some seconds at most, if calls are being retried. */
  close(): Promise<void>;
}

/**
 * Connects within seconds, or rejects with `TemporalUnreachable`, which names the address. Loads the SDK at the first
 * call, so that callers without uploads don't load it.
 */
export async function connectTemporal(at: TemporalAddress): Promise<TemporalConnection> {
  const codecKeys = at.codecKeys === undefined ? [] : parseCodecKeys(at.codecKeys);
  const sdk = await import('@temporalio/client');
  const tls = tlsOf(at);
  const retries = closableRetries(sdk.defaultGrpcRetryOptions());
  const connection = sdk.Connection.lazy({
    ...reachedThrough(at.address),
    interceptors: [sdk.makeGrpcRetryInterceptor(retries.options)],
    ...given({ tls, apiKey: at.apiKey }),
  });
  const close = async (): Promise<void> => {
    await retries.close();
    await connection.close();
  };
  await connected(at, connection).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  retries.connected();
  const { namespace } = at;
  const clientWith = (codec: PayloadCodec): Client =>
    new sdk.Client({ connection, namespace, dataConverter: { payloadCodecs: [codec] } });
  return {
    client: clientWith(createCodec(codecKeys)),
    lister: clientWith(createCodec(codecKeys, markUnknown)),
    connection,
    address: at.address,
    namespace,
    close,
  };
}

/** Where the library connects to. It must not choose a proxy itself, see `temporalProxy`. */
function reachedThrough(address: string): Pick<ConnectionOptions, 'address' | 'channelArgs'> {
  const proxy = temporalProxy(address);
  if (proxy === undefined) return { address, channelArgs: { 'grpc.enable_http_proxy': 0 } };
  const { username, password } = proxy.login ?? {};
  return {
    address: proxy.address,
    channelArgs: {
      'grpc.enable_http_proxy': 0,
      'grpc.http_connect_target': `dns:${address}`,
      'grpc.default_authority': address,
      ...(username === undefined ? {} : { 'grpc.http_connect_creds': `${username}:${password ?? ''}` }),
    },
  };
}

/** Resolves when the server has answered. Rejects with why it can't be used, as soon as the library knows it. */
async function connected(at: TemporalAddress, connection: Connection): Promise<void> {
  const proxy = temporalProxy(at.address);
  try {
    // The library does not say why a proxy refuses.
    if (proxy !== undefined)
      (await openTunnel(at.address, { proxy, timeoutMs: CONNECT_TIMEOUT_MS })).destroy();
    const deadline = systemClock.now() + CONNECT_TIMEOUT_MS;
    await connection.withDeadline(deadline, () => connection.workflowService.getSystemInfo({}));
  } catch (error) {
    const issuer = /certificate/.test(reasonOf(error)) ? await issuerAt(at.address) : undefined;
    throw unreachable(at, error, issuer);
  }
}

/** Who issued the certificate that the server shows. The library does not say it. Undefined: it shows none now. */
async function issuerAt(address: string): Promise<string | undefined> {
  const proxy = temporalProxy(address);
  const [{ hostname, port }, timeoutMs] = [new URL(`https://${address}`), CONNECT_TIMEOUT_MS];
  const host = hostname.replace(/^\[|\]$/g, '');
  const tunnel = proxy === undefined ? undefined : await openTunnel(address, { proxy, timeoutMs });
  const socket = connectTls({
    ...{ host, port: Number(port || 443), ALPNProtocols: ['h2'], rejectUnauthorized: false },
    ...given({ socket: tunnel, servername: isIP(host) === 0 ? host : undefined }),
  });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(timeoutMs) });
    return issuerOf(socket.getPeerCertificate(true));
  } catch {
    // The reason that the library gave remains.
    return undefined;
  } finally {
    socket.destroy();
  }
}

function isEncrypted({ tls, apiKey }: Pick<TemporalAddress, 'tls' | 'apiKey'>): boolean {
  return tls === undefined ? apiKey !== undefined : tls !== false;
}

/** The error of a worker's failed connection, with the reason that the command's library sees. */
export async function unreachableBecause(at: TemporalAddress, cause: unknown): Promise<unknown> {
  try {
    await (await connectTemporal(at)).close();
    return unreachable(at, cause);
  } catch (error) {
    return error;
  }
}

/** TLS settings in the form that every part of the SDK takes. Undefined leaves TLS off. */
export function tlsOf(at: Pick<TemporalAddress, 'tls' | 'apiKey'>): TLSConfig | boolean | undefined {
  if (!isEncrypted(at)) return at.tls === undefined ? undefined : false;
  const own = typeof at.tls === 'object' ? at.tls : {};
  return { ...own, serverRootCACertificate: own.serverRootCACertificate ?? Buffer.from(trustedRoots()) };
}

/** An error that names the address, the reason if it is known, and what to check. The gRPC error is its cause. */
export function unreachable(
  at: Pick<TemporalAddress, 'address' | 'tls' | 'apiKey'>,
  cause: unknown,
  issuer?: string,
): MediaServiceError {
  const { address } = at;
  const proxy = temporalProxy(address)?.origin;
  const refusal = cause instanceof MediaServiceError ? cause : undefined;
  const through = proxy === undefined || refusal !== undefined ? '' : ` through the proxy ${proxy}`;
  const issued = issuer === undefined ? '' : ` (its certificate was issued by ${issuer})`;
  const reason = `${refusal?.message ?? reasonOf(cause)}${issued}`;
  const check = TLS_REASON.test(reason) ? CHECK_TLS : checkAddress(isEncrypted(at));
  return new MediaServiceError(
    'TemporalUnreachable',
    `No Temporal server answers at ${address}${through}${reason === '' ? '' : `: ${reason}`}.`,
    {
      operation: 'connect to Temporal',
      ...given({ hint: refusal === undefined ? check : refusal.facts.hint }),
    },
    { cause },
  );
}

const CHECK_TLS =
  'Check the authority of its certificate, the name in it, and your own certificate, if it asks for one: {temporalTls}.';

function checkAddress(encrypted: boolean): string {
  const withoutTls =
    'TLS is on. A server without TLS, such as a local one, never answers: turn TLS off for it ({noTls}). ';
  return `${encrypted ? withoutTls : ''}Check address, TLS and API key. {checkTemporal}.`;
}

const NETWORK: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, 'connection refused, nothing listens there'],
  [/Name resolution failed|ENOTFOUND/, 'the host name is unknown'],
  [/EHOSTUNREACH|ENETUNREACH/, 'the network has no route to that host'],
  [/ETIMEDOUT|DEADLINE_EXCEEDED/, 'no answer came in time'],
  [/Protocol error/, "what answers there isn't Temporal"],
];
/** Not for a server without TLS: there, the address may be wrong. */
const TLS_REASON = /certificate|alert/;

/** What the library last met, as `connection refused`, or OpenSSL's own words. Empty: it does not say. */
function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : '';
  const [known] = NETWORK.filter(([pattern]) => pattern.test(message));
  if (known !== undefined) return known[1];
  const [, last = ''] = /Last error: (?:Error: )?(.*?)\. Resolution note/s.exec(message) ?? [];
  const [, words = ''] = /error:\w+:[^:]*:[^:]*:([^:]+)/.exec(last) ?? [];
  if (words !== '') return `the TLS handshake fails (${words})`;
  return last === 'undefined' ? '' : last.trim();
}

/** A timer may fire later than requested, ms. */
const LATE_MS = 100;
/** Tries of the first call. They take a second. */
const FIRST_TRIES = 4;
/** Tries of a call whose namespace is not found. */
const NAMESPACE_TRIES = 6;
const NAMESPACE_NOT_FOUND = /^Namespace \S+ is not found/;

/**
 * The SDK's retries of calls, which can also be stopped. A retry on a closed connection would throw an error that
 * nobody can catch. A busy Temporal server answers that a namespace is not found if it could not look it up in time, so
 * this answer must come several times.
 */
function closableRetries({ delayFunction, retryableDecider }: GrpcRetryOptions) {
  let closed = false;
  let isConnected = false;
  let lastBeginsAt = 0;
  const options: GrpcRetryOptions = {
    retryableDecider: (attempt, status) =>
      !closed &&
      (isConnected || attempt < FIRST_TRIES) &&
      (retryableDecider(attempt, status) ||
        (attempt < NAMESPACE_TRIES && NAMESPACE_NOT_FOUND.test(status.details))),
    delayFunction(attempt, status) {
      const delayMs = delayFunction(attempt, status);
      lastBeginsAt = Math.max(lastBeginsAt, systemClock.now() + delayMs + LATE_MS);
      return delayMs;
    },
  };
  return {
    options,
    /** The server has answered, so from now on calls are retried for longer. */
    connected: (): void => void (isConnected = true),
    /** From now on, no call is retried. Resolves within some seconds, when scheduled retries have begun. */
    async close(): Promise<void> {
      closed = true;
      const waitMs = lastBeginsAt - systemClock.now();
      if (waitMs > 0) await systemClock.sleep(waitMs);
    },
  };
}

export function grpcCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'number') return error.code;
  return grpcCodeOf(error.cause);
}
