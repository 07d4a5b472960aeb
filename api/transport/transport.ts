/**
 * The one way out to the network. Two implementations: `undici-transport` (CLI, worker, library users) and the
 * one that wraps n8n's helpers (`nodes/MediaService/n8n-transport`), which carries n8n's proxy, certificate and
 * SSRF rules. No implementation follows redirects, retries, or adds headers of its own accord.
 */
export interface Transport {
  /**
   * Sends one request and resolves as soon as the answer's status and headers are in.
   *
   * Rejects with a `TransportError`, whose `outcome` says whether the request can have reached the server; with the
   * signal's reason when `signal` aborts. An HTTP status of any kind is an answer, not an error.
   */
  send(request: HttpRequest): Promise<HttpAnswer>;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text goes out as UTF-8; a stream goes out with `content-length` = `bytes`, never chunked. */
  readonly body?: string | RequestStream;
  readonly signal?: AbortSignal | undefined;
  readonly timeouts?: Partial<Timeouts>;
  /** Use a connection that nothing was sent on before, so that a stale keep-alive socket cannot lose the request. */
  readonly freshConnection?: boolean;
  /**
   * Connect to one of these addresses instead of resolving the URL's host again: what was checked is then what is reached, whatever its
   * DNS answers next. Unset: the host is resolved. Without effect if a proxy resolves.
   */
  readonly addresses?: readonly string[];
}

/** A body of known length that can be opened anew for every try. */
export interface RequestStream {
  readonly bytes: number;
  open(): AsyncIterable<Uint8Array>;
}

export interface Timeouts {
  /** Until the connection stands, TLS included. Default 10,000. */
  readonly connectMs: number;
  /** From the request's last byte to the answer's headers. Default 60,000. */
  readonly headersMs: number;
  /** Longest pause between two pieces of the answer's body. Default 60,000. */
  readonly bodyMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 10_000, headersMs: 60_000, bodyMs: 60_000 };

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case; a repeated header is joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** To be read to its end or given up with `return()`, else the connection stays taken. */
  readonly body: AsyncIterable<Uint8Array>;
}
