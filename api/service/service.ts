import type { Account, ServiceOptions } from '../account';
import type { ServiceAnswer } from '../answers/read-answer';
import type { Clock } from '../clock';
import type { TokenSource } from '../login/token-source';
import type { HttpAnswer, HttpRequest, Transport } from '../transport/transport';

/**
 * Access to the Media Service for one account. Every operation of the interface is a function with it as first argument
 * (`searchMedia(service, …)`, `startSession(service, …)`). `createService` makes one per account and process.
 */
export interface Service {
  /** Normalised and checked. */
  readonly account: Account;
  readonly options: Required<Omit<ServiceOptions, Undefaulted>> & Pick<ServiceOptions, Undefaulted>;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly tokens: TokenSource;
  /** False: see `withoutLongWaits`. Default true. */
  readonly waitsLong?: boolean;
  /**
   * Sends one authenticated request and reads its whole answer (up to `maxAnswerBytes`). After a 401 it renews the
   * token and repeats an idempotent call once. After 409, 429, 5xx, a gateway's page or a lost connection it retries an
   * idempotent call with full-jitter backoff and Retry-After. Anything but a 2xx rejects with a `MediaServiceError`.
   */
  call(call: ServiceCall): Promise<ServiceAnswer>;
  /** The same for an answer that the caller reads piece by piece. */
  stream(call: ServiceCall): Promise<HttpAnswer>;
}

/** Options without a default: unset has its own meaning. */
type Undefaulted = 'additionalUrls' | 'partContentType';

export interface ServiceCall {
  /** In the interface's words, for errors: `media search`, `upload start`. */
  readonly operation: string;
  readonly method: HttpRequest['method'];
  readonly url: string;
  /** JSON text, sent as it is. */
  readonly body?: string;
  readonly accept?: string;
  /**
   * False: the call is sent only once, on a fresh connection, with a token fetched beforehand. It rejects at once with
   * `RateLimited`, `unsent`, if the service asked for a wait of more than a few seconds.
   */
  readonly idempotent: boolean;
  /** False: an idempotent call does not wait long either, and rejects with `RateLimited`. Default true. */
  readonly waitsLong?: boolean;
  /** Rejects as `unsent` if the request can't be sent within this time, ms. Default: no limit. */
  readonly sendWithinMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Default 32 MiB. A larger answer is an `UnreadableAnswer` and closes the connection. */
  readonly maxAnswerBytes?: number;
}

/**
 * The same service for callers that can wait elsewhere: if it asks for a wait of more than a few seconds, its calls
 * reject at once with `RateLimited` and `retryAfterMs`.
 */
export function withoutLongWaits(service: Service): Service {
  return {
    ...service,
    waitsLong: false,
    call: (call) => service.call({ ...call, waitsLong: false }),
    stream: (call) => service.stream({ ...call, waitsLong: false }),
  };
}
