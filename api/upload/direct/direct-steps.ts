import { redact } from '../../answers/redact';
import type { Clock } from '../../clock';
import { MediaServiceError } from '../../errors';
import { given } from '../../json';
import type { PartHashFactory } from '../../md5/part-hash';
import { withRetries } from '../../retry';
import type { RetryOptions } from '../../retry';
import type { Service } from '../../service/service';
import { createAimdLimiters } from '../parts/part-rate';
import { sendPart } from '../parts/send-part';
import type { UploadControl } from '../run-upload';
import { requestUrl } from '../session/additional-urls';
import { pollSession } from '../session/poll-session';
import type { UploadSession } from '../session/session';
import { startSession } from '../session/start-session';
import { MIN_AGE } from '../sources/source';
import type { UploadSources } from '../sources/source';
import type { StepFailure } from '../upload-steps';
import { plainSteps } from './plain-steps';
import type { DirectSteps, PlainDriver } from './plain-steps';

export type { DirectSteps } from './plain-steps';

/**
 * The steps of an upload as plain calls in this process, without Temporal; nothing survives the process. Temporary
 * failures are retried with backoff and Retry-After. When a part fails for good, the other running parts end.
 */
export function createDirectSteps(
  service: Service,
  sources: UploadSources,
  hooks: DirectHooks = {},
): DirectSteps {
  const { signal } = hooks;
  const host = createOtherSide(service.clock, hooks);
  return {
    ...plainSteps(service, sources, driverOf({ service, sources, hooks, host })),
    startSession: async (input) => {
      if (signal?.aborted === true) throw beforeStart(signal.reason);
      // Not cancellable: otherwise the id of a new session could be lost.
      return host.once(() => startSession(service, input));
    },
    pollSession: (input) => pollToTheEnd(service, input, hooks),
  };
}

interface DriverParts {
  readonly service: Service;
  readonly sources: UploadSources;
  readonly hooks: DirectHooks;
  readonly host: OtherSide;
}

/** Keeps one limiter per storage origin. */
function driverOf({ service, sources, hooks, host }: DriverParts): PlainDriver {
  const { clock, options } = service;
  const file = createOtherSide(clock, hooks);
  const storage = createOtherSide(clock, hooks);
  const limiters = createAimdLimiters();
  return {
    signal: hooks.signal,
    retried({ name, partNumber, signal }, run) {
      if (partNumber === undefined) return (name === 'pinSource' ? file : host).retried(run);
      return storage.retried(run, { signal, onRetry: (error) => hooks.onPartRetry?.(partNumber, error) });
    },
    onWait: (reason) => hooks.onStepRetry?.(reason),
    sendOnce: (part, partHooks) =>
      sendPart(
        {
          transport: sources.transport,
          reader: sources.open(part.source),
          clock,
          requestUrl: (partNumber, of) => requestUrl(service, { uploadId: part.uploadId, partNumber }, of),
          contentType: options.partContentType,
          limiterOf: (url) => limiters.of(url),
          ...given({ hash: hooks.hash }),
        },
        part,
        partHooks,
      ),
  };
}

/** The error of an upload that was cancelled before this `start` was sent. */
function beforeStart(reason: unknown): MediaServiceError {
  if (reason instanceof MediaServiceError) return reason;
  return new MediaServiceError(
    'Cancelled',
    'the upload was cancelled',
    { outcome: 'unsent' },
    { cause: reason },
  );
}

/** For errors that are not ours: an abort is a cancellation, anything else a bug. */
function directFailureOf(error: unknown, signal: AbortSignal | undefined): StepFailure {
  if (signal?.aborted === true) return { code: 'Cancelled', message: 'the upload was cancelled', facts: {} };
  const message = error instanceof Error ? `${error.name}: ${error.message}` : 'An unknown failure';
  return { code: 'Internal', message: redact(message), facts: { outcome: 'ambiguous' } };
}

/**
 * What `runUpload` needs besides the steps: the service's clock, cancellation by `hooks.signal`, and a gate that is
 * always open. If the signal's reason is an error of ours, the upload ends with it.
 */
export function directControl(
  service: Service,
  steps: DirectSteps,
  hooks: DirectHooks & Pick<UploadControl, 'onProgress'>,
): UploadControl {
  const { signal } = hooks;
  return {
    clock: { now: () => service.clock.now(), sleep: (ms) => service.clock.sleep(ms, signal) },
    retryForMs: hooks.retryForMs ?? POLL_RETRY_FOR_MS,
    gate: { paused: () => false, waitUntilOpen: () => Promise.resolve() },
    failureOf: (error) => directFailureOf(error, signal),
    onProgress: (progress) => hooks.onProgress(progress),
    openPartScope: () => steps.openPartScope(),
  };
}

/** How long a step may keep failing, ms. Polling may fail as long as processing may take, if that is longer. */
export const POLL_RETRY_FOR_MS = 15 * 60_000;
const POLL_DELAY_MS = 1_000;
const LONGEST_POLL_DELAY_MS = 60_000;
const POLL_GROWTH = 1.5;

/**
 * Polls in this process until the session is COMPLETED or FAILED, with growing pauses. Rejects as `pollSession` does,
 * and with the signal's reason.
 */
export async function pollToTheEnd(
  service: Service,
  input: { readonly uploadId: string; readonly completedAt: number; readonly limitMs: number },
  hooks: DirectHooks = {},
): Promise<UploadSession> {
  const { signal } = hooks;
  const left = input.completedAt + input.limitMs - service.clock.now();
  const retryForMs = hooks.retryForMs ?? Math.max(POLL_RETRY_FOR_MS, left);
  let delayMs = POLL_DELAY_MS;
  for (;;) {
    const outcome = await withRetries({ clock: service.clock, signal, retryForMs }, () =>
      pollSession(service, input, signal),
    );
    if (outcome.done) return outcome.session;
    await service.clock.sleep(delayMs, signal);
    delayMs = Math.min(LONGEST_POLL_DELAY_MS, delayMs * POLL_GROWTH);
  }
}

/** One other side of an upload: the service, storage, or the source of the file. */
interface OtherSide {
  /** Runs a call once, and notes whether it reached the other side. */
  once<T>(run: () => Promise<T>): Promise<T>;
  /** Retries a call. `how`: by default as all steps are. */
  retried<T>(run: (tries: number) => Promise<T>, how?: Pick<RetryOptions, 'signal' | 'onRetry'>): Promise<T>;
}

/** A side that never answered has probably a wrong address. With its last try, the upload ends within a minute, ms. */
const REACH_WITHIN_MS = 35_000;
/** Failures of this machine, which say nothing about an address. */
const OWN_FIELDS: readonly (string | undefined)[] = ['spoolDir', MIN_AGE];

/** Retries the calls of one side: for `retryForMs` once it has answered, and before that for `REACH_WITHIN_MS`. */
export function createOtherSide(clock: Clock, hooks: DirectHooks): OtherSide {
  const { retryForMs = POLL_RETRY_FOR_MS, signal, onStepRetry } = hooks;
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

/** What the caller of an upload in this process can observe and decide. */
export interface DirectHooks {
  /** Cancels the upload. */
  readonly signal?: AbortSignal;
  /** A try of a part failed and another one follows. */
  onPartRetry?(partNumber: number, error: MediaServiceError): void;
  /** Another step failed temporarily and is retried. */
  readonly onStepRetry?: (error: MediaServiceError) => void;
  readonly hash?: PartHashFactory;
  /** How long a step may keep failing before the upload gives up, ms. Default 15 minutes. */
  readonly retryForMs?: number;
}
