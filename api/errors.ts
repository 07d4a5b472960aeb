import { given } from './json';

/**
 * Every error of this package. One shape for all, so that the CLI, n8n and Temporal can show and carry each without
 * knowing its class. Errors hold facts only: never a URL with its query, a token, or a raw body.
 */

/**
 * What is known about the failed request:
 * - `unsent`: it never left (DNS, connect, TLS, our own validation) and can be repeated freely;
 * - `refused`: the service refused before it did anything (4xx except 408; 429 and 503 with Retry-After on idempotent
 *   calls);
 * - `ambiguous`: the service may have done it (reset, time-out, 408, 5xx, an unreadable 2xx).
 */
export type Outcome = 'unsent' | 'refused' | 'ambiguous';

/** Stable names: the `type` of Temporal failures, the `code` in `--json` output and in n8n's error output. */
export const ERROR_CODES = [
  'Validation', // the caller's input breaks a rule of the interface
  'Configuration', // a setting or credential is missing, malformed or contradictory
  'LoginRefused', // the service did not accept key, signature, clock or external id
  'Unauthorized', // 401 although the token was renewed
  'RequestRefused', // any other 4xx
  'RateLimited', // 429, or 503 with Retry-After
  'ServiceFailed', // 5xx
  'Transport', // no answer: DNS, connect, TLS, reset, time-out
  'UnreadableAnswer', // an answer that is not JSON, too large, or of an unknown shape
  'StartAmbiguous', // `start` lost its answer: a session may exist
  'CompleteAmbiguous', // `complete` lost its answer and the session does not show its result yet
  'SourceMissing', // the file or URL does not exist or can't be read
  'SourceUnavailable', // its disk, network share or spool folder can't be used or is full at the moment
  'SourceChanged', // the source differs from the pinned one
  'SourceNotAllowed', // outside the allowed roots or hosts
  'UrlExpired', // a pre-signed URL expired and no new one is available
  'SignatureMismatch', // storage refused the URL's signature, usually because of Content-Type
  'StorageRefused', // any other 4xx of storage
  'StorageBusy', // 429 or 503 of storage
  'PartStalled', // no byte for too long
  'PartCorrupted', // storage's MD5 differs from that of the bytes we sent
  'SessionGone', // storage or service no longer knows the session
  'ProcessingFailed', // the session ended FAILED
  'ProcessingTimeout', // still PENDING_COMPLETE after the limit; it has not failed
  'WorkerBusy', // this worker requeued a part: it is stopping, or a rate is used up
  'Cancelled',
  'AccountNotServed', // this worker has no secrets for the account
  'InputDiffers', // a workflow with this id exists with another input
  'NoWorker', // no worker polls the task queue
  'TemporalUnreachable',
  'OutputFailed', // the result can't be written to stdout or a file
  'Internal',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ErrorFacts {
  /** The operation that failed, in the interface's words: `login`, `media search`, `upload start`, `part 7`. */
  readonly operation?: string;
  /** HTTP status. */
  readonly status?: number;
  /** The service's own message, at most 500 characters, with anything that looks like a secret removed. */
  readonly serviceMessage?: string;
  /** From `x-request-id`, `x-amz-request-id` or the like. */
  readonly requestId?: string;
  readonly outcome?: Outcome;
  /** How long the server asked us to wait, in ms. */
  readonly retryAfterMs?: number;
  /** The field or setting that is wrong, as TypeScript names it. */
  readonly field?: string;
  /**
   * What is wrong with `field`. The message is the field's name and this text, so that an interface can use its own
   * name for the field.
   */
  readonly problem?: string;
  /**
   * What to do, in full sentences. What each interface calls differently is a name in braces, as `{fileRoots}`; see
   * `whatToDo`.
   */
  readonly hint?: string;
  /** Further facts that are safe to show. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

/** `message`: of more than 8,000 characters, the middle is left out. */
export class MediaServiceError extends Error {
  override readonly name: string = 'MediaServiceError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly facts: ErrorFacts = {},
    options?: { cause?: unknown },
  ) {
    super(shortened(message), options);
  }

  get outcome(): Outcome {
    return this.facts.outcome ?? 'unsent';
  }
}

/** An error is stored for each row, so a file's content in place of its name must not be repeated with each. */
const MAX_MESSAGE = 8_000;
const KEPT_END = 500;

function shortened(message: string): string {
  if (message.length <= MAX_MESSAGE) return message;
  return `${message.slice(0, MAX_MESSAGE - KEPT_END)} … ${message.slice(-KEPT_END)}`;
}

/** Whether an error is one of ours with this code. */
export function hasCode(error: unknown, code: ErrorCode): error is MediaServiceError {
  return error instanceof MediaServiceError && error.code === code;
}

/** The same error with other facts. The original is its cause. */
export function errorWith(cause: MediaServiceError, facts: ErrorFacts): MediaServiceError {
  return new MediaServiceError(cause.code, cause.message, { ...cause.facts, ...facts }, { cause });
}

/** The caller's input breaks a rule; nothing was sent. */
export class ValidationError extends MediaServiceError {
  override readonly name = 'ValidationError';
  constructor(field: string, message: string, hint?: string, problem?: string) {
    super('Validation', message, { field, outcome: 'unsent', ...given({ hint, problem }) });
  }
}

/** A setting or credential is missing, malformed or contradictory; nothing was sent. */
export class ConfigurationError extends MediaServiceError {
  override readonly name = 'ConfigurationError';
  constructor(field: string, message: string, hint?: string, options?: ErrorOptions & { problem?: string }) {
    const { problem, ...cause } = options ?? {};
    super('Configuration', message, { field, outcome: 'unsent', ...given({ hint, problem }) }, cause);
  }
}

/** Makes the error for an input field that breaks a rule, such as `limit` with `must be at least 1`. */
export function wrongField(field: string, problem: string, hint?: string): ValidationError {
  return new ValidationError(field, `${field} ${problem}`, hint, problem);
}

/** Makes the error for a setting that breaks a rule, such as `baseUrl` with `is empty`. */
export function wrongSetting(field: string, problem: string, hint?: string): ConfigurationError {
  return new ConfigurationError(field, `${field} ${problem}`, hint, { problem });
}

/** The request got no answer. */
export class TransportError extends MediaServiceError {
  override readonly name = 'TransportError';
  constructor(message: string, facts: ErrorFacts & { outcome: Outcome }, options?: { cause?: unknown }) {
    super('Transport', message, facts, options);
  }
}
