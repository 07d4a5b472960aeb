import type { Clock } from './clock';
import { hasCode, MediaServiceError } from './errors';
import type { ErrorCode } from './errors';
import { given } from './json';

const RETRYABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'RateLimited',
  'ServiceFailed',
  'Transport',
  'SourceUnavailable',
  'StorageBusy',
  'PartStalled',
  'PartCorrupted',
  'CompleteAmbiguous',
  'WorkerBusy',
  'NoWorker',
  'TemporalUnreachable',
  'AccountNotServed',
]);

/** Returns whether it is a refusal that counts only if it stays: a gateway's page, or a conflict. */
export function isPassingRefusal(error: unknown): boolean {
  return error instanceof MediaServiceError && error.facts.details?.['passing'] === true;
}

/** A server that answers with one of these statuses will do so again. */
const FINAL_SERVER_STATUSES: ReadonlySet<number> = new Set([501, 505]);

/**
 * Returns whether the same request may succeed when it is sent again. That does not make a repeat *safe*: for a request
 * that is not idempotent, the error's `outcome` decides that. The fact `permanent` overrules the code, both ways. Any
 * error that is not a `MediaServiceError` is not retryable.
 */
export function isRetryable(error: unknown): boolean {
  return error instanceof MediaServiceError && isTemporary(error);
}

/** The same for a failure of ours. */
export function isTemporary({ code, facts }: Pick<MediaServiceError, 'code' | 'facts'>): boolean {
  const { status, details } = facts;
  if (status === 408) return true;
  if (details?.['permanent'] === true) return false;
  if (status !== undefined && FINAL_SERVER_STATUSES.has(status)) return false;
  return details?.['permanent'] === false || RETRYABLE.has(code);
}

/** The longest wait that we accept from a server, ms. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

/**
 * Returns how long the answer's Retry-After asks to wait, in ms from `now` (epoch ms). It reads seconds or an HTTP
 * date. The result is never negative or above `MAX_RETRY_AFTER_MS`. Undefined if the header is missing or invalid.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return undefined;
  const wait = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : httpDate(value) - now;
  return Number.isNaN(wait) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, Math.ceil(wait)));
}

/** `Date.parse` reads `-5` as a year, so only a weekday name or an ISO date counts as a date. */
function httpDate(value: string): number {
  return /^([A-Za-z]{3,9},? |\d{4}-\d{2}-\d{2}T)/.test(value) ? Date.parse(value) : Number.NaN;
}

/** Upper bounds of the first delay and of every delay. */
const FIRST_MS = 500;
const MAX_MS = 20_000;

/**
 * Returns the delay before try `attempt + 1`, in ms: a random time below a bound that doubles with every try ("full
 * jitter"). So callers that failed together do not retry together. `attempt` counts from 1. `random`: from [0, 1).
 */
export function fullJitterMs(attempt: number, random = Math.random): number {
  const ceiling = Math.min(MAX_MS, FIRST_MS * 2 ** (Math.max(1, attempt) - 1));
  return Math.floor(random() * ceiling);
}

/**
 * Returns how long to wait, in ms, after try `attempt` (from 1) failed: the time that the server asked for, plus
 * jitter.
 */
export function retryDelayMs(error: unknown, attempt: number): number {
  const asked = error instanceof MediaServiceError ? (error.facts.retryAfterMs ?? 0) : 0;
  return asked + fullJitterMs(attempt);
}

/** Min tries of a failed call, however long they take. A refusal that may pass gets no more than these. */
const MIN_TRIES = 5;

/** Tries, each of which renews its token. Where a login ends earlier tokens, another process may end ours. */
const UNAUTHORIZED_TRIES = 2;

/** Returns whether a driver tries again after this number of failed tries, as long as its time lasts. */
export function mayTryAgain(error: unknown, tries: number): boolean {
  if (isRetryable(error)) return true;
  if (hasCode(error, 'Unauthorized')) return tries < UNAUTHORIZED_TRIES;
  return isPassingRefusal(error) && tries < MIN_TRIES;
}

export interface RetryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** How long to keep retrying after the first failure, ms. A function decides by the last error. */
  readonly retryForMs: number | ((error: MediaServiceError) => number);
  /** Whether to end with this error, whatever time is left. Default: never. */
  readonly isFinal?: (error: MediaServiceError) => boolean;
  /** A try failed and another one follows. */
  readonly onRetry?: (error: MediaServiceError) => void;
}

/**
 * Retries temporary failures with full-jitter backoff and Retry-After: at least `MIN_TRIES` times, then until the time
 * limit. `tries` counts from 1. Rejects with the last error or the signal's reason.
 */
export async function withRetries<T>(
  { clock, signal, retryForMs, isFinal, onRetry }: RetryOptions,
  run: (tries: number) => Promise<T>,
): Promise<T> {
  let failedAt: number | undefined;
  for (let tries = 1; ; tries += 1) {
    try {
      return await run(tries);
    } catch (error) {
      if (signal?.aborted === true || !(error instanceof MediaServiceError) || !mayTryAgain(error, tries))
        throw error;
      if (isFinal?.(error) === true) throw error;
      const delayMs = retryDelayMs(error, tries);
      failedAt ??= clock.now();
      const giveUpAt = failedAt + (typeof retryForMs === 'number' ? retryForMs : retryForMs(error));
      if (tries >= MIN_TRIES && clock.now() + delayMs > giveUpAt) throw error;
      onRetry?.(error);
      await clock.sleep(delayMs, signal);
    }
  }
}

/** What the caller of an upload in this process can observe and decide about its retries. */
export interface SideHooks {
  /** Cancels the upload. */
  readonly signal?: AbortSignal;
  /** A step failed temporarily and is retried. */
  readonly onStepRetry?: (error: MediaServiceError) => void;
  /** How long a step may keep failing before the upload gives up, ms. Default `RETRY_FOR_MS`. */
  readonly retryForMs?: number;
}

export const RETRY_FOR_MS = 15 * 60_000;

/** One other side of an upload: the service, storage, or the source of the file. */
export interface OtherSide {
  /** Runs a call once, and notes whether it reached the other side. */
  once<T>(run: () => Promise<T>): Promise<T>;
  /** Retries a call. `how`: by default as all steps are. */
  retried<T>(run: (tries: number) => Promise<T>, how?: Pick<RetryOptions, 'signal' | 'onRetry'>): Promise<T>;
}

/** A side that never answered has probably a wrong address. With its last try, the upload ends within a minute, ms. */
const REACH_WITHIN_MS = 35_000;
/** Fields of failures of this machine, which say nothing about an address. */
const OWN_FIELDS: readonly (string | undefined)[] = ['spoolDir', 'source.minAgeMs'];

/** Retries the calls of one side: for `retryForMs` once it has answered, and before that for `REACH_WITHIN_MS`. */
export function createOtherSide(clock: Clock, hooks: SideHooks): OtherSide {
  const { retryForMs = RETRY_FOR_MS, signal, onStepRetry } = hooks;
  let isReached = false;
  const limit = (): number => (isReached ? retryForMs : Math.min(retryForMs, REACH_WITHIN_MS));
  const usual = { signal, ...given({ onRetry: onStepRetry }) };
  const once: OtherSide['once'] = async (run) => {
    try {
      const result = await run();
      isReached = true;
      return result;
    } catch (error) {
      const { status, field } = error instanceof MediaServiceError ? error.facts : {};
      isReached ||= status !== undefined || OWN_FIELDS.includes(field);
      throw error;
    }
  };
  return {
    once,
    retried: (run, how = usual) =>
      withRetries({ clock, retryForMs: limit, ...how }, (tries) => once(() => run(tries))),
  };
}

/** 4xx that ask for another try later: Request Timeout, Too Early, Too Many Requests. */
const TRY_AGAIN: ReadonlySet<number> = new Set([408, 425, 429]);

/** Returns whether a 4xx of a server that is not the Media Service asks for another try later. */
export function asksForAnotherTry(status: number): boolean {
  return TRY_AGAIN.has(status);
}

/** Returns whether a server that is not the Media Service may answer the same request differently later. */
export function isTemporaryStatus(status: number): boolean {
  return status >= 500 || asksForAnotherTry(status);
}
