import { getDefaultAutoSelectFamilyAttemptTimeout, isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import type * as UndiciModule from 'undici';
import type { Dispatcher } from 'undici';
import { TransportError } from '../errors';
import { given } from '../json';
import { untilAborted } from '../clock';
import { keepIssuer, keepNextAnswer, guardedConnect } from './sockets';
import { ADDRESS_ATTEMPT_MS, answerHeaders, DEFAULT_TIMEOUTS, requestUrl, USER_AGENT } from './transport';
import type { HttpAnswer, HttpRequest, RequestStream, Transport } from './transport';
import { proxiesOf, proxyOf } from './proxies';
import type { Proxies, Proxy } from './proxies';
import { openTunnel, proxyRefused, proxyUnreachable } from './tunnel';
import { transportErrorOf } from './undici-failure';

type Undici = typeof UndiciModule;

export interface UndiciTransportOptions {
  /** Default: those of the process (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY). An empty object: none. */
  readonly proxy?: Proxies;
  /** PEM certificates of the only issuers to trust. Default: Node's own. */
  readonly ca?: string;
}

export interface UndiciTransport extends Transport {
  isProxied(url: URL): boolean;
  /** Closes every connection; running requests fail. */
  close(): Promise<void>;
}

/**
 * The transport for everything outside n8n. It keeps connections alive, follows no redirect, decompresses nothing and
 * retries nothing. undici is loaded with the first request.
 */
export function createUndiciTransport(options: UndiciTransportOptions = {}): UndiciTransport {
  const kept = new Map<string, Dispatcher>();
  const retired = new Set<Dispatcher>();
  const proxies = options.proxy ?? proxiesOf();
  let closed = false;

  async function send(request: HttpRequest): Promise<HttpAnswer> {
    request.signal?.throwIfAborted();
    const url = requestUrl(request.url);
    const undici = (loaded ??= await import('undici'));
    if (closed) throw transportErrorOf({ error: { code: 'UND_ERR_CLOSED' }, begun: false, host: url.host });
    const connectMs = request.timeouts?.connectMs ?? DEFAULT_TIMEOUTS.connectMs;
    const fresh = request.freshConnection === true;
    const proxy = proxyOf(url, proxies);
    // A proxy gets plain http as an ordinary request, with the whole address in it.
    const [tunnel, forward] = url.protocol === 'https:' ? [proxy] : [undefined, proxy];
    const addresses = proxy === undefined ? request.addresses : undefined;
    const key = [fresh, connectMs, tunnel?.origin, tunnel?.authorization, ...(addresses ?? [])].join(' ');
    const dispatcher =
      kept.get(key) ?? makeDispatcher(undici, { connectMs, addresses, fresh, tunnel }, options.ca);
    // Removing and adding the key moves it to the end, so the first key is the least recently used one.
    kept.delete(key);
    kept.set(key, dispatcher);
    retireOldest();
    return sendOver({ dispatcher, request, url, forward });
  }

  function retireOldest(): void {
    const [oldest] = kept.size > MAX_KEPT_DISPATCHERS ? kept.entries() : [];
    if (oldest === undefined) return;
    const [key, dispatcher] = oldest;
    kept.delete(key);
    retired.add(dispatcher);
    void dispatcher.close().then(() => retired.delete(dispatcher));
  }

  return {
    send,
    isProxied: (url) => proxyOf(url, proxies) !== undefined,
    async close() {
      closed = true;
      const all = [...kept.values(), ...retired];
      kept.clear();
      retired.clear();
      await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

/** An import costs some time even if the module is loaded. */
let loaded: Undici | undefined;

/** Sources come from ever new addresses. Their unused connections are closed once their requests are done. */
const MAX_KEPT_DISPATCHERS = 16;

const MAX_HEADER_BYTES = 65_536;

/** A connection counts as fresh until it was idle for this time, ms. Common servers keep idle ones longer. */
const FRESH_MS = 1_000;

interface Connecting {
  readonly connectMs: number;
  readonly addresses: readonly string[] | undefined;
  readonly fresh: boolean;
  /** The proxy through which it connects. */
  readonly tunnel: Proxy | undefined;
}

function makeDispatcher(
  undici: Undici,
  { connectMs, addresses, fresh, tunnel }: Connecting,
  ca: string | undefined,
): Dispatcher {
  const connect = {
    timeout: connectMs,
    autoSelectFamilyAttemptTimeout: Math.max(getDefaultAutoSelectFamilyAttemptTimeout(), ADDRESS_ATTEMPT_MS),
    ...(ca === undefined ? {} : { ca }),
    ...(addresses === undefined ? {} : { lookup: lookupIn(addresses) }),
  };
  // undici returns the socket, whatever its types say.
  const connector: (...call: Parameters<UndiciModule.buildConnector.connector>) => unknown =
    undici.buildConnector(connect);
  const direct: UndiciModule.buildConnector.connector = (to, done) => {
    keepIssuer(connector(to, done));
  };
  return new undici.Agent({
    connect: guardedConnect(tunnel === undefined ? direct : connectThrough(tunnel, direct, connect)),
    ...(fresh ? { keepAliveTimeout: FRESH_MS, keepAliveMaxTimeout: FRESH_MS } : {}),
    maxHeaderSize: MAX_HEADER_BYTES,
    pipelining: 1,
  });
}

function connectThrough(
  proxy: Proxy,
  overTls: UndiciModule.buildConnector.connector,
  { timeout, ca }: { readonly timeout: number; readonly ca?: string },
): UndiciModule.buildConnector.connector {
  return (options, done) => {
    const { host = options.hostname, port } = options;
    const target = port === '' ? `${host}:443` : host;
    openTunnel(target, { proxy, timeoutMs: timeout, ca }).then(
      (httpSocket) => overTls({ ...options, httpSocket }, done),
      (error: unknown) => done(error as Error, null),
    );
  };
}

/** Answers with the addresses resolved before, in both forms that Node requests. */
function lookupIn(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, { all: wantsAll }, done) => {
    const [first] = all;
    if (wantsAll === true || first === undefined) done(null, all);
    else done(null, first.address, first.family);
  };
}

interface Sending {
  readonly dispatcher: Dispatcher;
  readonly request: HttpRequest;
  readonly url: URL;
  /** The proxy that gets the request instead of its host. */
  readonly forward: Proxy | undefined;
}

async function sendOver({ dispatcher, request, url, forward }: Sending): Promise<HttpAnswer> {
  const { method, headers, body, signal, timeouts } = request;
  const sent = { begun: false };
  const source = typeof body === 'object' ? outgoing(body) : undefined;
  const text = typeof body === 'string' ? body : null;
  const path = url.pathname + url.search;
  const pending = dispatcher.compose(noticeStart(() => (sent.begun = true))).request({
    origin: forward?.origin ?? url.origin,
    path: forward === undefined ? path : url.origin + path,
    method,
    headers: {
      'user-agent': USER_AGENT,
      ...headers,
      ...(source === undefined ? {} : { 'content-length': String(source.bytes) }),
      ...(forward === undefined
        ? {}
        : given({ host: url.host, 'proxy-authorization': forward.authorization })),
    },
    body: source === undefined ? text : source.chunks,
    signal: signal ?? null,
    headersTimeout: timeouts?.headersMs ?? DEFAULT_TIMEOUTS.headersMs,
    bodyTimeout: timeouts?.bodyMs ?? DEFAULT_TIMEOUTS.bodyMs,
  });
  try {
    // undici respects the signal only once a connection is open.
    const answer = await untilAborted(pending, signal);
    if (forward !== undefined && answer.statusCode === 407) throw proxyRefused(forward, url.host, 407);
    return {
      status: answer.statusCode,
      headers: answerHeaders(answer.headers),
      body: incoming(answer.body, { url, request }),
    };
  } catch (error) {
    pending.then(
      (late) => late.body.on('error', () => undefined).destroy(),
      () => undefined,
    );
    if (signal?.aborted === true) throw signal.reason;
    if (source?.failure() !== undefined) throw source.failure();
    if (error instanceof TransportError) throw error;
    if (forward !== undefined && !sent.begun) throw proxyUnreachable(forward, error);
    throw transportErrorOf({ error, begun: sent.begun, host: url.host });
  }
}

/** Reports when a request is given to an open connection. From then on it may reach the server. */
function noticeStart(onStart: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const started = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      onStart();
      keepNextAnswer();
      started?.(controller, context);
    };
    return dispatch(options, handler);
  };
}

/** A socket may accept a smaller chunk before sending it. The sender reuses its buffers, so such chunks are copied. */
const COPY_BELOW_BYTES = 128 * 1024;

/** `failure`: what the source threw; undici would wrap it. */
function outgoing(stream: RequestStream) {
  let failure: unknown;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of stream.open()) {
        yield chunk.byteLength < COPY_BELOW_BYTES ? new Uint8Array(chunk) : chunk;
      }
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  // undici sends any async iterable, without the buffer of a Readable. Its types only allow a Readable.
  return { bytes: stream.bytes, chunks: chunks() as unknown as Readable, failure: () => failure };
}

/** The answer's body. `return()` closes the connection even if nobody started to read. */
function incoming(
  body: Dispatcher.ResponseData['body'],
  { url, request: { signal } }: Pick<Sending, 'url' | 'request'>,
): AsyncIterable<Uint8Array> {
  body.on('error', () => undefined);
  const iterator = body.iterator({ destroyOnReturn: true });
  const finish = (): void => void body.destroy();
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        try {
          const step = await iterator.next();
          if (step.done === true) finish();
          return step;
        } catch (error) {
          finish();
          if (signal?.aborted === true) throw signal.reason;
          throw transportErrorOf({ error, begun: true, host: url.host });
        }
      },
      async return() {
        finish();
        return { done: true, value: undefined };
      },
    }),
  };
}
