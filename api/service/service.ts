import type { Account, ServiceOptions } from '../account';
import type { ServiceAnswer } from '../answers/read-answer';
import type { Clock } from '../clock';
import type { TokenSource } from '../login/login';
import { withRetries } from '../retry';
import type { HttpRequest, Transport } from '../transport/transport';

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
  /**
   * Sends one authenticated request and reads its whole answer (up to 32 MiB). It sends once; after a 401 it
   * renews the token and repeats an idempotent call once. Anything but a 2xx rejects with a `MediaServiceError`. Who
   * drives the call retries: see `retryingService`.
   */
  call(call: ServiceCall): Promise<ServiceAnswer>;
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
   * False: the call is never repeated, and is sent on a fresh connection, with a token fetched beforehand.
   */
  readonly idempotent: boolean;
  /** Rejects as `unsent` if the request can't be sent within this time, ms. Default: no limit. */
  readonly sendWithinMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A service for callers without a driver of their own. */
export interface RetryingService extends Service {
  /** The same service, which sends once: for drivers, which retry. */
  readonly once: Service;
}

/**
 * The same service for callers that no driver retries: idempotent calls and logins are retried after 409, 429, 5xx, a
 * gateway's page or a lost connection, with full-jitter backoff and Retry-After.
 */
export function retryingService(once: Service): RetryingService {
  const { clock, tokens } = once;
  const retried = <T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> =>
    withRetries({ clock, signal, retryForMs: 0 }, run);
  return {
    ...once,
    once,
    tokens: { ...tokens, login: (signal) => retried(signal, () => tokens.login(signal)) },
    call: (call) => (call.idempotent ? retried(call.signal, () => once.call(call)) : once.call(call)),
  };
}
