import type { IHttpRequestOptions } from 'n8n-workflow';
import { TransportError } from '../api/errors';
import { isFromElsewhere, oneByOne } from '../api/transport/guarded-connect';
import {
  answerHeaders,
  DEFAULT_TIMEOUTS,
  isReadable,
  readableOf,
  requestUrl,
  USER_AGENT,
} from '../api/transport/transport';
import type { HttpAnswer, HttpRequest, Readable, RequestStream, Transport } from '../api/transport/transport';
import { systemClock } from '../api/clock';
import { untilAborted } from '../api/login/token-source';
import { transportErrorOf } from '../api/transport/undici-failure';
import { goesThroughProxy } from '../settings/n8n-proxy';
import { bareOf, failureOf } from './n8n-failure';

/** The part of n8n's `helpers` that this transport needs. Nodes and `preAuthentication` both have it. */
export interface HttpHelper {
  httpRequest(options: IHttpRequestOptions): Promise<unknown>;
}

interface N8nTransportOptions {
  /** Comma-separated list of domains for which the credential may be used. n8n enforces it. Unset: all. */
  readonly allowedDomains?: string;
}

/**
 * The transport for nodes: n8n's own HTTP helper, with its proxy, certificate and SSRF rules. n8n opens a new
 * connection for each request. The helper has no separate timeout for connecting, so `headersMs` includes it. If a
 * body arrives compressed although that was not requested, n8n decompresses it.
 */
export function createN8nTransport(helper: HttpHelper, options: N8nTransportOptions = {}): Transport {
  return { send: (request) => sendToAny(helper, options, request), isProxied: goesThroughProxy };
}

/** Connects to the addresses in the request. If there is a proxy, the proxy connects instead. */
async function sendToAny(
  helper: HttpHelper,
  options: N8nTransportOptions,
  request: HttpRequest,
): Promise<HttpAnswer> {
  request.signal?.throwIfAborted();
  const isProxied = goesThroughProxy(requestUrl(request.url));
  const addresses = isProxied ? [] : oneByOne(request.addresses ?? []);
  if (addresses.length === 0) return send(helper, options, request);
  return toEach(addresses, (address) => send(helper, { ...options, address }, request));
}

/** Tries one address after the other, as long as nothing was sent. */
function toEach(
  [first = '', ...others]: readonly string[],
  sendTo: (address: string) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  return sendTo(first).catch((error: unknown) => {
    if (others.length > 0 && isUnsent(error)) return toEach(others, sendTo);
    throw error;
  });
}

function isUnsent(error: unknown): boolean {
  return (
    error instanceof TransportError &&
    error.outcome === 'unsent' &&
    error.facts.details?.['permanent'] !== true
  );
}

interface Way extends N8nTransportOptions {
  /** The address to connect to. Unset: n8n resolves the host. */
  readonly address?: string;
}

async function send(helper: HttpHelper, options: Way, request: HttpRequest): Promise<HttpAnswer> {
  request.signal?.throwIfAborted();
  const { host } = requestUrl(request.url);
  const cut = new AbortController();
  const source = typeof request.body === 'object' ? outgoing(request.body) : undefined;
  const pending = helper.httpRequest(helperRequest({ request, options, source, abortSignal: cut.signal }));
  const timeoutMs = request.timeouts?.headersMs ?? DEFAULT_TIMEOUTS.headersMs;
  const answered = untilAborted(pending, request.signal);
  const arrived = afterBody(source, answered).then(() => raceTime(answered, timeoutMs, () => noAnswer(host)));
  return arrived.then(
    (answer) => readAnswer(answer, { host, request, cut, address: options.address }),
    (error: unknown) => {
      cut.abort();
      pending.then(discard, () => undefined);
      if (request.signal?.aborted === true) throw request.signal.reason;
      throw source?.failure() ?? failureOf(error, host);
    },
  );
}

/**
 * The timeout of the answer starts after the last byte of the body was requested. Before that, the caller watches its
 * stream.
 */
async function afterBody(source: Outgoing | undefined, answered: Promise<unknown>): Promise<void> {
  if (source !== undefined) await Promise.race([source.ended, answered]);
}

interface Departure {
  readonly request: HttpRequest;
  readonly options: Way;
  /** The body, if it is a stream. */
  readonly source: Outgoing | undefined;
  readonly abortSignal: AbortSignal;
}

function helperRequest({ request, options, source, abortSignal }: Departure): IHttpRequestOptions {
  const { method, url, headers, body } = request;
  const { allowedDomains, address } = options;
  return {
    method,
    url,
    headers: {
      // Otherwise n8n asks for compression.
      'accept-encoding': 'identity',
      'user-agent': USER_AGENT,
      ...headers,
      ...(source === undefined ? {} : { 'content-length': String(source.bytes) }),
    },
    ...(source === undefined && body === undefined ? {} : { body: source?.chunks ?? body }),
    encoding: 'stream',
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
    // This transport handles timeouts. 0 disables n8n's own timeout, which would cut off long answers.
    timeout: 0,
    abortSignal,
    ...(allowedDomains === undefined ? {} : { allowedDomains }),
    // An agent's own options override those of the request, so n8n connects to this address. Host header and TLS name
    // stay those of the URL. n8n has no `lookup` option.
    ...(address === undefined ? {} : { agentOptions: { host: address } }),
  };
}

interface Arrival {
  readonly host: string;
  readonly request: HttpRequest;
  /** Closes the connection. */
  readonly cut: AbortController;
  /** The address that it should have connected to. */
  readonly address: string | undefined;
}

function readAnswer(answer: unknown, arrival: Arrival): HttpAnswer {
  if (!isFullResponse(answer)) {
    throw new TransportError(`${arrival.host}: n8n's HTTP helper gave no response`, { outcome: 'ambiguous' });
  }
  const { address, host, cut } = arrival;
  if (address !== undefined && isFromElsewhere(answer.body, [address])) {
    discard(answer);
    cut.abort();
    throw connectedElsewhere(host);
  }
  return {
    status: answer.statusCode,
    headers: answerHeaders(answer.headers),
    body: incoming(answer.body, arrival),
  };
}

/** This version of n8n ignores the given address. */
function connectedElsewhere(host: string): TransportError {
  return new TransportError(`${host}: n8n connected to another address than the one that was checked`, {
    outcome: 'ambiguous',
    hint: 'The host name resolves to several addresses. Update n8n, or set N8N_SSRF_PROTECTION_ENABLED=true.',
    details: { permanent: true },
  });
}

interface FullResponse {
  readonly statusCode: number;
  readonly headers: object;
  readonly body: Readable;
}

function isFullResponse(value: unknown): value is FullResponse {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'statusCode' in value &&
    typeof value.statusCode === 'number' &&
    'headers' in value &&
    typeof value.headers === 'object' &&
    'body' in value &&
    isReadable(value.body)
  );
}

function discard(late: unknown): void {
  if (isFullResponse(late)) late.body.on('error', () => undefined).destroy();
}

function incoming(body: Readable, { host, request, cut }: Arrival): AsyncIterable<Uint8Array> {
  const { signal, timeouts } = request;
  body.on('error', () => undefined);
  const pieces = body[Symbol.asyncIterator]();
  const finish = (): void => {
    body.destroy();
    cut.abort();
  };
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const idleMs = timeouts?.bodyMs ?? DEFAULT_TIMEOUTS.bodyMs;
    const piece: Promise<IteratorResult<Uint8Array>> = pieces.next();
    const step = await raceTime(untilAborted(piece, signal), idleMs, () =>
      transportErrorOf({ error: { code: 'UND_ERR_BODY_TIMEOUT' }, begun: true, host }),
    ).catch((error: unknown) => {
      finish();
      if (signal?.aborted === true) throw signal.reason;
      throw error instanceof TransportError
        ? error
        : transportErrorOf({ error: bareOf(error), begun: true, host });
    });
    if (step.done === true) finish();
    return step;
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next,
      return() {
        finish();
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
}

interface Outgoing {
  readonly bytes: number;
  readonly chunks: Readable;
  /** The source was read to its end, or its reading was stopped. */
  readonly ended: Promise<void>;
  /** The source's own error, which the helper would wrap. */
  failure(): Error | undefined;
}

function outgoing(stream: RequestStream): Outgoing {
  let failure: Error | undefined;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    // The source may reuse its buffer for the next chunk. Uint8Array.from would copy byte by byte in n8n, which
    // changes iterators.
    for await (const chunk of stream.open()) yield new Uint8Array(chunk);
  }
  const readable = readableOf(chunks());
  readable.on('error', (error) => (failure = error));
  const ended = new Promise<void>((resolve) => readable.once('close', resolve));
  return { bytes: stream.bytes, chunks: readable, ended, failure: () => failure };
}

async function raceTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const done = new AbortController();
  const timer = systemClock.sleep(ms, done.signal).then(() => {
    throw late();
  });
  // The race below handles the error. After it has ended, nobody would.
  timer.catch(() => undefined);
  try {
    return await Promise.race([work, timer]);
  } finally {
    done.abort();
  }
}

function noAnswer(host: string): TransportError {
  return transportErrorOf({ error: { code: 'UND_ERR_HEADERS_TIMEOUT' }, begun: true, host });
}
