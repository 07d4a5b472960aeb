import type { IHttpRequestOptions } from 'n8n-workflow';
import { TransportError } from '../../api/errors';
import { isReadable, readableOf } from '../../api/transport/readable';
import type { Readable } from '../../api/transport/readable';
import { redact } from '../../api/answers/redact';
import { systemClock } from '../../api/system-clock';
import { untilAborted } from '../../api/login/single-flight';
import type { HttpAnswer, HttpRequest, RequestStream, Transport } from '../../api/transport/transport';
import { DEFAULT_TIMEOUTS } from '../../api/transport/transport';
import { transportErrorOf } from '../../api/transport/undici-failure';

/** The part of n8n's `helpers` that this transport needs; nodes and `preAuthentication` both have it. */
export interface HttpHelper {
  httpRequest(options: IHttpRequestOptions): Promise<unknown>;
}

export interface N8nTransportOptions {
  /** Comma-separated list of domains that the credential may be used for; n8n enforces it. Unset: all. */
  readonly allowedDomains?: string;
}

/**
 * The transport for nodes: n8n's own HTTP helper, with its proxy, certificate and SSRF rules. n8n opens a new connection for each
 * request, so every one is fresh. The helper has no time-out of its own for connecting: `headersMs` covers it as well. Bodies
 * that arrive compressed although nobody asked are decompressed by n8n.
 */
export function createN8nTransport(helper: HttpHelper, options: N8nTransportOptions = {}): Transport {
  return { send: (request) => send(helper, options, request) };
}

async function send(
  helper: HttpHelper,
  options: N8nTransportOptions,
  request: HttpRequest,
): Promise<HttpAnswer> {
  request.signal?.throwIfAborted();
  const host = hostOf(request.url);
  const cut = new AbortController();
  const source = typeof request.body === 'object' ? outgoing(request.body) : undefined;
  const pending = helper.httpRequest(helperRequest({ request, options, source, abortSignal: cut.signal }));
  const timeoutMs = request.timeouts?.headersMs ?? DEFAULT_TIMEOUTS.headersMs;
  const answered = untilAborted(pending, request.signal);
  const arrived = afterBody(source, answered).then(() =>
    withinTime(answered, timeoutMs, () => noAnswer(host)),
  );
  return arrived.then(
    (answer) => readAnswer(answer, { host, request, cut }),
    (error: unknown) => {
      cut.abort();
      pending.then(discard, () => undefined);
      if (request.signal?.aborted === true) throw request.signal.reason;
      throw source?.failure() ?? failureOf(error, host);
    },
  );
}

/** The time-out of the answer counts from the last byte that was asked for; before it the caller watches its stream. */
async function afterBody(source: Outgoing | undefined, answered: Promise<unknown>): Promise<void> {
  if (source !== undefined) await Promise.race([source.ended, answered]);
}

interface Departure {
  readonly request: HttpRequest;
  readonly options: N8nTransportOptions;
  /** The body where it is a stream. */
  readonly source: Outgoing | undefined;
  readonly abortSignal: AbortSignal;
}

function helperRequest({ request, options, source, abortSignal }: Departure): IHttpRequestOptions {
  const { method, url, headers, body } = request;
  const { allowedDomains } = options;
  return {
    method,
    url,
    headers: {
      // Without this n8n asks for compression.
      'accept-encoding': 'identity',
      ...headers,
      ...(source === undefined ? {} : { 'content-length': String(source.bytes) }),
    },
    ...(source === undefined && body === undefined ? {} : { body: source?.chunks ?? body }),
    encoding: 'stream',
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
    // The time-outs are kept here; 0 switches off n8n's own, which would cut long answers.
    timeout: 0,
    abortSignal,
    ...(allowedDomains === undefined ? {} : { allowedDomains }),
  };
}

interface Arrival {
  readonly host: string;
  readonly request: HttpRequest;
  /** Closes the connection. */
  readonly cut: AbortController;
}

function readAnswer(answer: unknown, arrival: Arrival): HttpAnswer {
  if (!isFullResponse(answer)) {
    throw new TransportError(`${arrival.host}: n8n's HTTP helper gave no response`, { outcome: 'ambiguous' });
  }
  return {
    status: answer.statusCode,
    headers: joinHeaders(answer.headers),
    body: incoming(answer.body, arrival),
  };
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

function joinHeaders(headers: object): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries<unknown>({ ...headers })) {
    if (typeof value === 'string') joined[name.toLowerCase()] = value;
    if (Array.isArray(value)) joined[name.toLowerCase()] = value.join(', ');
  }
  return joined;
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
    const step = await withinTime(untilAborted(piece, signal), idleMs, () =>
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
  /** The source was read to its end, or given up. */
  readonly ended: Promise<void>;
  /** What the source threw, which the helper would wrap. */
  failure(): Error | undefined;
}

function outgoing(stream: RequestStream): Outgoing {
  let failure: Error | undefined;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    // The opener may reuse its buffer for the next chunk. Uint8Array.from would walk the bytes one by one in n8n, where iterators are changed.
    for await (const chunk of stream.open()) yield new Uint8Array(chunk);
  }
  const readable = readableOf(chunks());
  readable.on('error', (error) => (failure = error));
  const ended = new Promise<void>((resolve) => readable.once('close', resolve));
  return { bytes: stream.bytes, chunks: readable, ended, failure: () => failure };
}

async function withinTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const done = new AbortController();
  const timer = systemClock.sleep(ms, done.signal).then(() => {
    throw late();
  });
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

const NEVER_LEFT =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ERR_INVALID_URL)$|^ERR_TLS_|^UNABLE_TO_VERIFY|CERT|SELF_SIGNED/;

/** What TLS fails with before it is agreed on; later its errors come from a record that broke, also while the answer is read. */
const NO_TLS =
  /wrong.version.number|packet.length.too.long|unsupported.protocol|handshake.failure|protocol.version/i;

function failureOf(error: unknown, host: string): Error {
  if (error instanceof TransportError) return error;
  const guard = guardOf(error);
  if (guard !== undefined) return refusedByN8n(guard, host);
  const code = codeOf(error);
  const unsent =
    code !== undefined &&
    (NEVER_LEFT.test(code) || syscallOf(error) === 'connect' || isWithoutTls(error, code));
  return transportErrorOf({ error: bareOf(error), begun: !unsent, host });
}

/** As plain http looks to a TLS client; n8n's helper keeps it in the message alone. */
const PLAIN_HTTP = /wrong.version.number|packet.length.too.long/i;

function isWithoutTls(error: unknown, code: string): boolean {
  if (code !== 'EPROTO' && !code.startsWith('ERR_SSL_')) return false;
  return NO_TLS.test(code) || (error instanceof Error && NO_TLS.test(error.message));
}

/** n8n's own guards (allowed domains, protection against requests to internal addresses) speak before anything is sent. */
function guardOf(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  // A `UserError` of n8n has the name "Error".
  if (/^(UserError|NodeOperationError|Ssrf\w*)$/m.test(`${error.name}\n${error.constructor.name}`))
    return error;
  return guardOf(error.cause);
}

/** Final: the next try would be refused as well. */
function refusedByN8n(guard: Error, host: string): TransportError {
  const description = 'description' in guard ? guard.description : undefined;
  return new TransportError(`${host}: ${redact(guard.message)}`, {
    outcome: 'unsent',
    hint:
      typeof description === 'string'
        ? redact(description)
        : 'Nothing was sent: n8n itself refuses this address. Check "Allowed Domains" of the credential and the limits of n8n.',
    details: { permanent: true },
  });
}

/** The helper's error without its request, whose headers and body hold secrets. */
function bareOf(error: unknown): unknown {
  const code = codeOf(error);
  if (code === 'EPROTO' && error instanceof Error && PLAIN_HTTP.test(error.message)) {
    return { code: 'ERR_SSL_WRONG_VERSION_NUMBER' };
  }
  if (code !== undefined) return { code };
  return error instanceof Error ? new Error(redact(error.message)) : undefined;
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return 'cause' in error ? codeOf(error.cause) : undefined;
}

function syscallOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('syscall' in error) return error.syscall;
  return 'cause' in error ? syscallOf(error.cause) : undefined;
}

function hostOf(url: string): string {
  if (URL.canParse(url)) return new URL(url).host;
  throw new TransportError('the address of the request is no URL', { outcome: 'unsent' });
}
