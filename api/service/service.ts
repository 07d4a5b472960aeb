import type { Account, ServiceOptions } from '../account/account';
import type { ServiceAnswer } from '../answers/service-answer';
import type { Clock } from '../clock';
import type { TokenSource } from '../login/token-source';
import type { HttpAnswer, HttpRequest, Transport } from '../transport/transport';

/**
 * One account's door to the Media Service: every operation of the interface is a function over it
 * (`searchMedia(service, …)`, `startSession(service, …)`). Made by `createService`; one per account and process.
 */
export interface Service {
  /** Normalised and checked. */
  readonly account: Account;
  readonly options: Required<Omit<ServiceOptions, Undefaulted>> & Pick<ServiceOptions, Undefaulted>;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly tokens: TokenSource;
  /**
   * Sends one authenticated request and reads its answer whole (up to `maxAnswerBytes`). A 401 renews the token and repeats
   * idempotent calls once; 429, 5xx and lost connections repeat idempotent calls with full-jitter backoff and Retry-After.
   * Anything but a 2xx rejects with a `MediaServiceError`.
   */
  call(call: ServiceCall): Promise<ServiceAnswer>;
  /** The same for an answer that is read piece by piece. */
  stream(call: ServiceCall): Promise<HttpAnswer>;
}

/** Options whose absence has a meaning of its own. */
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
   * False: sent once and never again, on a fresh connection, with a token that was made sure of before, and rejected at once as `RateLimited`,
   * `unsent`, where the service asked for a wait of more than a few seconds.
   */
  readonly idempotent: boolean;
  /** Rejects as `unsent` instead of sending it later than this, ms. Default: whenever it can be sent. */
  readonly sendWithinMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Default 32 MiB; more is an `UnreadableAnswer`, and the connection is closed. */
  readonly maxAnswerBytes?: number;
}
