import { setTimeout } from 'node:timers/promises';
import type { Client, Connection, ConnectionOptions, GrpcRetryOptions, TLSConfig } from '@temporalio/client';
import { temporalProxy, trustedRoots } from './temporal-network';
import type { TemporalAddress } from './temporal-network';
import { given } from '../../api/json';
import { MediaServiceError } from '../../api/errors';
import { createCodec, createLenientCodec, parseCodecKeys } from '../codec';
import { probeTemporal } from './probe-temporal';
import type { Probed, ProbeProblem } from './probe-temporal';
import { systemClock } from '../../api/clock';

const CONNECT_TIMEOUT_MS = 10_000;
/** How soon a problem that the server shows is reported. */
const PROBE_MS = 1_500;

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
    connectTimeout: CONNECT_TIMEOUT_MS,
    interceptors: [sdk.makeGrpcRetryInterceptor(retries.options)],
    ...given({ tls, apiKey: at.apiKey }),
  });
  await connected(at, connection);
  const { namespace } = at;
  return {
    client: new sdk.Client({
      connection,
      namespace,
      ...(codecKeys.length === 0 ? {} : { dataConverter: { payloadCodecs: [createCodec(codecKeys)] } }),
    }),
    lister: new sdk.Client({
      ...{ connection, namespace },
      dataConverter: { payloadCodecs: [createLenientCodec(codecKeys)] },
    }),
    connection,
    address: at.address,
    namespace,
    async close() {
      await retries.close();
      await connection.close();
    },
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

/**
 * Resolves when it is connected. Rejects within seconds if the server shows why it can't be used. A server that speaks
 * the protocol, or is silent, may be busy: it gets as much time as the SDK allows.
 */
async function connected(at: TemporalAddress, connection: Connection): Promise<void> {
  const connecting = connection.ensureConnected();
  const over = new AbortController();
  const { signal } = over;
  const probing = probeTemporal(probedOf(at), signal);
  // Waits before it reports a problem, because the library may get further.
  const refused = Promise.all([probing, setTimeout(PROBE_MS, undefined, { signal })]).then(([problem]) => {
    if (problem === undefined) return connecting;
    throw unreachable(at, undefined, problem);
  });
  try {
    await Promise.race([connecting, refused]);
  } catch (error) {
    over.abort();
    // An error after the race has ended no longer matters.
    connecting.catch(() => undefined);
    await connection.close();
    if (error instanceof MediaServiceError) throw error;
    throw unreachable(at, error, await probing);
  } finally {
    over.abort();
    // An error after the race has ended no longer matters.
    refused.catch(() => undefined);
  }
}

function probedOf(at: TemporalAddress): Probed {
  const proxy = temporalProxy(at.address);
  const probed = { address: at.address, ...(proxy === undefined ? {} : { proxy }) };
  if (!isEncrypted(at)) return { ...probed, tls: false };
  const { caPem, certPem, keyPem, serverName } = typeof at.tls === 'object' ? at.tls : {};
  const tls = given({ ca: caPem, cert: certPem, key: keyPem, servername: serverName });
  return { ...probed, tls, roots: trustedRoots() };
}

function isEncrypted({ tls, apiKey }: Pick<TemporalAddress, 'tls' | 'apiKey'>): boolean {
  return tls === undefined ? apiKey !== undefined : tls !== false;
}

/** The error of a failed connection, with its reason if the server shows one within seconds. */
export async function unreachableBecause(at: TemporalAddress, cause: unknown): Promise<MediaServiceError> {
  return unreachable(at, cause, await probeTemporal(probedOf(at), AbortSignal.timeout(PROBE_MS)));
}

/** TLS settings in the form that every part of the SDK takes. Undefined leaves TLS off. */
export function tlsOf(at: Pick<TemporalAddress, 'tls' | 'apiKey'>): TLSConfig | boolean | undefined {
  if (!isEncrypted(at)) return at.tls === undefined ? undefined : false;
  const { caPem = trustedRoots(), certPem, keyPem, serverName } = typeof at.tls === 'object' ? at.tls : {};
  if ((certPem === undefined) !== (keyPem === undefined)) {
    throw new MediaServiceError(
      'Configuration',
      'A client certificate needs its key, and a key its certificate.',
      {
        field: certPem === undefined ? 'certPem' : 'keyPem',
      },
    );
  }
  return {
    ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
    serverRootCACertificate: Buffer.from(caPem),
    ...(certPem === undefined || keyPem === undefined
      ? {}
      : { clientCertPair: { crt: Buffer.from(certPem), key: Buffer.from(keyPem) } }),
  };
}

/** An error that names the address and what to check. The gRPC error is its cause. */
export function unreachable(
  { address, tls, apiKey }: Pick<TemporalAddress, 'address' | 'tls' | 'apiKey'>,
  cause: unknown,
  problem?: ProbeProblem,
): MediaServiceError {
  const encrypted = isEncrypted({ ...given({ tls, apiKey }) });
  const proxy = temporalProxy(address)?.origin;
  const isProxys = proxy !== undefined && problem?.says.includes(proxy) === true;
  const through = proxy === undefined || isProxys ? '' : ` through the proxy ${proxy}`;
  return new MediaServiceError(
    'TemporalUnreachable',
    `No Temporal server answers at ${address}${through}${problem === undefined ? '' : `: ${problem.says}`}.`,
    {
      operation: 'connect to Temporal',
      ...given({ hint: problem?.hint ?? (isProxys ? undefined : checkAddress(encrypted)) }),
    },
    { cause },
  );
}

function checkAddress(encrypted: boolean): string {
  const withoutTls =
    'TLS is on. A server without TLS, such as a local one, never answers: turn TLS off for it ({noTls}). ';
  return `${encrypted ? withoutTls : ''}Check address, TLS and API key.`;
}

/** A timer may fire later than requested, ms. */
const LATE_MS = 100;
/** Tries of a call whose namespace is not found. */
const NAMESPACE_TRIES = 6;
const NAMESPACE_NOT_FOUND = /^Namespace \S+ is not found/;

interface ClosableRetries {
  readonly options: GrpcRetryOptions;
  /** From now on, no call is retried. Resolves within some seconds, when scheduled retries have begun. */
  close(): Promise<void>;
}

/**
 * The SDK's retries of calls, which can also be stopped. A retry on a closed connection would throw an error that
 * nobody can catch. A busy Temporal server answers that a namespace is not found if it could not look it up in time, so
 * this answer must come several times.
 */
function closableRetries({ delayFunction, retryableDecider }: GrpcRetryOptions): ClosableRetries {
  let closed = false;
  let lastBeginsAt = 0;
  return {
    options: {
      retryableDecider: (attempt, status) =>
        !closed &&
        (retryableDecider(attempt, status) ||
          (attempt < NAMESPACE_TRIES && NAMESPACE_NOT_FOUND.test(status.details))),
      delayFunction(attempt, status) {
        const delayMs = delayFunction(attempt, status);
        lastBeginsAt = Math.max(lastBeginsAt, systemClock.now() + delayMs + LATE_MS);
        return delayMs;
      },
    },
    async close() {
      closed = true;
      const waitMs = lastBeginsAt - systemClock.now();
      if (waitMs > 0) await systemClock.sleep(waitMs);
    },
  };
}
