/**
 * Every error of this package's own. One shape for all, so that the CLI, n8n and Temporal can each show and carry it
 * without knowing the class. Built from facts only: never from a URL with its query, a token, or a raw body.
 */

/**
 * What is known about the request that failed:
 * - `unsent`: it never left (DNS, connect, TLS, our own validation): it can be repeated freely;
 * - `refused`: the service said no before carrying it out (4xx except 408; 429 and 503 with Retry-After on idempotent calls);
 * - `ambiguous`: it may have been carried out (reset, time-out, 408, 5xx, a 2xx that cannot be read).
 */
export type Outcome = 'unsent' | 'refused' | 'ambiguous';

/** Stable names: they are the `type` of Temporal failures, the `code` in `--json` output and in n8n's error output. */
export type ErrorCode =
  | 'Validation' // the caller's input breaks a rule of the interface
  | 'Configuration' // a setting or credential is missing, malformed or contradictory
  | 'LoginRefused' // the service did not accept key, signature, clock or external id
  | 'Unauthorized' // 401 although the token was renewed
  | 'RequestRefused' // any other 4xx
  | 'RateLimited' // 429, or 503 with Retry-After
  | 'ServiceFailed' // 5xx
  | 'Transport' // no answer: DNS, connect, TLS, reset, time-out
  | 'UnreadableAnswer' // an answer that is not of any known shape, not JSON, or too large
  | 'StartAmbiguous' // `start` lost its answer: a session may exist
  | 'CompleteAmbiguous' // `complete` lost its answer and the session does not tell yet
  | 'SourceMissing' // the file or URL is not there or cannot be read
  | 'SourceUnavailable' // its disk, network share or spool folder can't be used, or has no room, for now
  | 'SourceChanged' // the source is not the one that was pinned
  | 'SourceNotAllowed' // outside the allowed roots or hosts
  | 'UrlExpired' // a pre-signed URL ended and no fresh one could be had
  | 'SignatureMismatch' // storage refused the URL's signature, usually because of Content-Type
  | 'StorageRefused' // any other 4xx of storage
  | 'StorageBusy' // 429 or 503 of storage
  | 'PartStalled' // no byte for too long, or below the minimum throughput
  | 'PartCorrupted' // storage's MD5 is not that of the bytes we sent
  | 'SessionGone' // storage or service no longer knows the session
  | 'ProcessingFailed' // the session ended FAILED
  | 'ProcessingTimeout' // still PENDING_COMPLETE after the limit: not failed
  | 'WorkerBusy' // this worker gave a part back: it is being stopped, or its bandwidth is taken
  | 'Cancelled'
  | 'AccountNotServed' // this worker holds no secrets for the account
  | 'InputTooNew' // the input's schema is newer than this worker
  | 'InputDiffers' // a workflow of this id exists with another input
  | 'NoWorker' // nobody polls the task queue
  | 'TemporalUnreachable'
  | 'OutputFailed' // what was read cannot be written to stdout or a file
  | 'Internal';

export interface ErrorFacts {
  /** What we were doing, in the interface's words: `login`, `media search`, `upload start`, `part 7`. */
  readonly operation?: string;
  /** HTTP status. */
  readonly status?: number;
  /** The service's own message, at most 500 characters, with anything that looks like a secret removed. */
  readonly serviceMessage?: string;
  /** From `x-request-id`, `x-amz-request-id` or the like. */
  readonly requestId?: string;
  readonly outcome?: Outcome;
  /** How long the server asked us to wait, ms. */
  readonly retryAfterMs?: number;
  /** What the reader can do about it: a full sentence. */
  readonly hint?: string;
  /** The field or setting that is wrong, as the caller knows it. */
  readonly field?: string;
  /** Further facts that are safe to show. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

export class MediaServiceError extends Error {
  override readonly name: string = 'MediaServiceError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly facts: ErrorFacts = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }

  get outcome(): Outcome {
    return this.facts.outcome ?? 'unsent';
  }
}

/** The caller's input breaks a rule; nothing was sent. */
export class ValidationError extends MediaServiceError {
  override readonly name = 'ValidationError';
  constructor(field: string, message: string, hint?: string) {
    super('Validation', message, { field, outcome: 'unsent', ...(hint === undefined ? {} : { hint }) });
  }
}

/** A setting or credential is missing, malformed or contradictory; nothing was sent. */
export class ConfigurationError extends MediaServiceError {
  override readonly name = 'ConfigurationError';
  constructor(field: string, message: string, hint?: string) {
    super('Configuration', message, { field, outcome: 'unsent', ...(hint === undefined ? {} : { hint }) });
  }
}

/** The request got no answer. */
export class TransportError extends MediaServiceError {
  override readonly name = 'TransportError';
  constructor(message: string, facts: ErrorFacts & { outcome: Outcome }, options?: { cause?: unknown }) {
    super('Transport', message, facts, options);
  }
}
