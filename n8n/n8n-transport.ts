import type { IHttpRequestOptions } from 'n8n-workflow';
import { TransportError } from '../api/errors';
import { isRecord } from '../api/json';
import { answerHeaders, DEFAULT_TIMEOUTS, requestUrl, USER_AGENT } from '../api/transport/transport';
import type { HttpAnswer, HttpRequest, RequestStream, Transport } from '../api/transport/transport';
import { untilAborted } from '../api/clock';
import { transportErrorOf } from '../api/transport/undici-failure';
import { pause } from './n8n-clock';
import { bareOf, failureOf } from './n8n-failure';

/** The part of n8n's `helpers` that this transport needs. Nodes and `preAuthentication` both have it. */
export interface HttpHelper {
  httpRequest(options: IHttpRequestOptions): Promise<unknown>;
}

/**
 * The transport for nodes: n8n's own HTTP helper, with its proxy, certificate and SSRF rules. n8n enforces the
 * comma-separated list of domains, and opens a new connection for each request. The helper has no separate timeout
 * for connecting, so `headersMs` includes it. If a body arrives compressed although that was not requested, n8n
 * decompresses it.
 */
export function createN8nTransport(helper: HttpHelper, allowedDomains?: string): Transport {
  return { send: (request) => send(helper, allowedDomains, request) };
}

async function send(
  helper: HttpHelper,
  allowedDomains: string | undefined,
  request: HttpRequest,
): Promise<HttpAnswer> {
  request.signal?.throwIfAborted();
  const { host } = requestUrl(request.url);
  const cut = new AbortController();
  const outgoing = outgoingOf(request);
  const pending = helper.httpRequest({
    ...helperRequest(request, outgoing.body),
    abortSignal: cut.signal,
    ...(allowedDomains === undefined ? {} : { allowedDomains }),
  });
  const timeoutMs = request.timeouts?.headersMs ?? DEFAULT_TIMEOUTS.headersMs;
  const answered = untilAborted(pending, request.signal);
  // The timeout of the answer starts when the last byte was requested. Until then, the caller watches its stream.
  const sent = Promise.race([outgoing.ended, answered]);
  const noAnswer = (): Error =>
    transportErrorOf({ error: { code: 'UND_ERR_HEADERS_TIMEOUT' }, begun: true, host });
  const arrived = sent.then(() => raceTime(answered, timeoutMs, noAnswer));
  return arrived.then(
    (answer) => readAnswer(answer, { host, request, cut }),
    (error: unknown) => {
      cut.abort();
      pending.then(discard, () => undefined);
      if (request.signal?.aborted === true) throw request.signal.reason;
      throw outgoing.failure() ?? failureOf(error, host);
    },
  );
}

function helperRequest({ method, url, headers }: HttpRequest, body: Outgoing['body']): IHttpRequestOptions {
  return {
    method,
    url,
    headers: {
      // Otherwise n8n asks for compression.
      'accept-encoding': 'identity',
      'user-agent': USER_AGENT,
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    encoding: 'stream',
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
    // This transport handles timeouts. 0 disables n8n's own timeout, which would cut off long answers.
    timeout: 0,
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
    headers: answerHeaders(answer.headers),
    body: incoming(answer.body, arrival),
  };
}

/** A stream of Node, as n8n returns it. */
interface Readable extends AsyncIterable<Uint8Array> {
  on(event: 'error', listener: () => void): this;
  destroy(): unknown;
}

interface FullResponse {
  readonly statusCode: number;
  readonly headers: object;
  readonly body: Readable;
}

function isFullResponse(value: unknown): value is FullResponse {
  if (!isRecord(value)) return false;
  const { statusCode, headers, body } = value;
  return (
    typeof statusCode === 'number' && isRecord(headers) && isRecord(body) && Symbol.asyncIterator in body
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

/** What n8n's HTTP library reads of a `Blob`. It streams one without further ado. */
interface StreamedBlob {
  readonly [Symbol.toStringTag]: 'Blob';
  readonly size: number;
  readonly type: string;
  readonly stream: () => AsyncIterable<Uint8Array>;
}

interface Outgoing {
  readonly body: string | StreamedBlob | undefined;
  /** The source was read to its end, or its reading was stopped. */
  readonly ended: Promise<void>;
  /** The source's own error, which the helper would wrap. */
  readonly failure: () => Error | undefined;
}

function outgoingOf({ body, headers }: HttpRequest): Outgoing {
  if (typeof body !== 'object') return { body, ended: Promise.resolve(), failure: () => undefined };
  let failure: Error | undefined;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  async function* stream(source: RequestStream): AsyncGenerator<Uint8Array> {
    try {
      // The source may use its memory again for the next chunk.
      for await (const chunk of source.open()) yield new Uint8Array(chunk);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    } finally {
      end();
    }
    if (failure !== undefined) throw failure;
  }
  const type = headers['content-type'] ?? 'application/octet-stream';
  return {
    body: { [Symbol.toStringTag]: 'Blob', size: body.bytes, type, stream: () => stream(body) },
    ended,
    failure: () => failure,
  };
}

async function raceTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const done = new AbortController();
  const timer = pause(ms, done.signal).then(() => {
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
