import { TransportError } from '../errors';

/**
 * The only way out to the network. It has two implementations: `undici-transport` (CLI, worker, library users) and the
 * one that wraps n8n's helpers (`n8n/n8n-transport`) with n8n's proxy, certificate and SSRF rules. No
 * implementation follows redirects, retries, or adds its own headers, except for `USER_AGENT`.
 */
export interface Transport {
  /**
   * Sends one request and resolves as soon as the answer's status and headers arrive. An HTTP status of any kind is an
   * answer, not an error.
   *
   * Rejects with a `TransportError`, whose `outcome` says whether the request may have reached the server. Rejects with
   * the signal's reason when `signal` aborts.
   */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** Whether a proxy gets the request, and resolves its host. Unset: no proxy does. */
  isProxied?(url: URL): boolean;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A text is sent as UTF-8. A stream is sent with `content-length` = `bytes`, never chunked. */
  readonly body?: string | RequestStream;
  readonly signal?: AbortSignal | undefined;
  readonly timeouts?: Partial<Timeouts>;
  /**
   * Use a connection that is new, or that answered such a request within the last second. A server may be closing one
   * that was idle for longer, and the request would be lost.
   */
  readonly freshConnection?: boolean;
  /**
   * Connect to one of these addresses instead of resolving the URL's host again. So the request reaches the address
   * that was checked, whatever the DNS answers next. Unset: the host is resolved. No effect if a proxy
   * resolves the host, and inside n8n, which has rules of its own.
   */
  readonly addresses?: readonly string[];
}

/** A body of known length that can be opened again for every try. */
export interface RequestStream {
  readonly bytes: number;
  open(): AsyncIterable<Uint8Array>;
}

export interface Timeouts {
  /** Until the connection is open, including TLS. Default 10,000. */
  readonly connectMs: number;
  /** From the request's last byte to the answer's headers. Default 60,000. */
  readonly headersMs: number;
  /** Longest pause between two pieces of the answer's body. Default 60,000. */
  readonly bodyMs: number;
}

/** Firewalls and public archives refuse requests without one, and those of bare libraries. */
export const USER_AGENT = 'n8n-nodes-media-service';

/**
 * Time for each of a host's addresses to answer, ms, unless it is the last one. Node's 250 ms are shorter than a
 * connection over a satellite or a busy mobile network takes, and then none of them is ever reached.
 */
export const ADDRESS_ATTEMPT_MS = 2_500;

export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 10_000, headersMs: 60_000, bodyMs: 60_000 };

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case; a repeated header is joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Read it to its end or give it up with `return()`; otherwise the connection stays in use. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Returns headers as `HttpAnswer` has them. Leaves out values other than texts and lists. */
export function answerHeaders(headers: object): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries<unknown>({ ...headers })) {
    if (typeof value === 'string') joined[name.toLowerCase()] = value;
    if (Array.isArray(value)) joined[name.toLowerCase()] = value.join(', ');
  }
  return joined;
}

/** The address of a request. Checked before Node sees it, because Node's own error for a bad URL contains the URL. */
export function requestUrl(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new TransportError('the address of the request is not a URL', { outcome: 'unsent' });
}

/**
 * Returns the code of a request's error: ECONNREFUSED, UND_ERR_SOCKET and the like. Looks at its cause if it has none
 * itself. If several addresses of a host fail, Node gives one error for all: the first one counts.
 */
export function networkCodeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return networkCodeOf(error.errors[0]);
  return 'cause' in error ? networkCodeOf(error.cause) : undefined;
}
