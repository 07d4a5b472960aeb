import type { Clock } from '../../clock';
import { MediaServiceError } from '../../errors';
import { given } from '../../json';
import type { Service } from '../../service/service';
import { completeSession, readTwice } from '../session/complete-session';
import { findOrphans } from '../session/orphans';
import { withRetries } from '../../retry';
import type { RetryOptions } from '../../retry';
import type { PartScope, UploadControl } from '../run-upload';
import { isOurs } from '../sources/source-rules';
import { MIN_AGE } from '../sources/source';
import type { SourceDescriptor, UploadSources } from '../sources/source';
import { pollSession } from '../session/poll-session';
import type { UploadSession } from '../session/session';
import { requireUploadHost, startSession } from '../session/start-session';
import type { PartInput, PartResult, StepFailure, UploadSteps } from '../upload-steps';
import { requestUrl } from '../session/additional-urls';
import { createAimdLimiters } from '../parts/part-rate';
import { sendPart } from '../parts/send-part';
import type { SendPartDeps } from '../parts/send-part';
import type { PartHashFactory } from '../../md5/part-hash';

/** The steps, and the scope that ends their parts together: pass it to `UploadControl.openPartScope`. */
export interface DirectSteps extends UploadSteps<string> {
  readonly openPartScope: () => PartScope;
}

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
  const { clock } = service;
  const host = createOtherSide(clock, hooks);
  const file = createOtherSide(clock, hooks);
  return {
    ...createDirectParts(service, sources, hooks),
    pinSource: ({ source }) => file.retried(() => sources.pin(source, signal)),
    startSession: async (input) => {
      if (signal?.aborted === true) throw beforeStart(signal.reason);
      // Not cancellable: otherwise the id of a new session could be lost.
      return host.once(() => startSession(service, input));
    },
    awaitUploadHost: async ({ pauseMs, failure: { code, message, facts } }) => {
      hooks.onStepRetry?.(new MediaServiceError(code, message, facts));
      await clock.sleep(pauseMs, signal);
      await host.retried(() => requireUploadHost(service, signal));
    },
    findOrphans: (input) => host.retried(() => findOrphans(service, input, signal)),
    completeSession: (input) =>
      host.retried((tries) => completeSession(service, { ...input, mayHaveBeenSent: tries > 1 }, signal)),
    readSession: ({ uploadId }) => host.retried(() => readTwice(service, uploadId, signal)),
    pollSession: (input) => pollToTheEnd(service, input, hooks),
    releaseSource: ({ source }) => releaseInTime(clock, source, sources),
  };
}

/** A file that can't be removed must not keep an upload from ending. */
const RELEASE_MS = 30_000;

/** Releases a source, but does not wait longer than `RELEASE_MS`, as for a network share that is away. */
export async function releaseInTime(
  clock: Clock,
  source: SourceDescriptor,
  sources: Pick<UploadSources, 'release'>,
): Promise<void> {
  if (!isOurs(source)) return;
  const ended = new AbortController();
  try {
    await Promise.race([sources.release(source), clock.sleep(RELEASE_MS, ended.signal)]);
  } finally {
    ended.abort();
  }
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

/**
 * Converts an error for `UploadControl.failureOf`: an abort, and the reason of the signal, become `Cancelled`, anything
 * else becomes `Internal`.
 */
function directFailureOf(error: unknown, signal: AbortSignal | undefined): StepFailure {
  if (isAbort(error) || (signal?.aborted === true && error === signal.reason)) {
    return { code: 'Cancelled', message: 'the upload was cancelled', facts: {} };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'Internal', message, facts: { outcome: 'ambiguous' } };
}

/** Checks the structure: an abort's reason is a DOMException, which may come from another realm. */
function isAbort(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
}

/**
 * What `runUpload` needs besides the steps: the service's clock, cancellation by `hooks.signal`, and a gate that is
 * always open by default. If the signal's reason is an error of ours, the upload ends with it.
 */
export function directControl(
  service: Service,
  steps: DirectSteps,
  hooks: DirectHooks & Pick<UploadControl, 'onProgress'> & Partial<Pick<UploadControl, 'gate'>>,
): UploadControl {
  const { signal, gate } = hooks;
  return {
    clock: { now: () => service.clock.now(), sleep: (ms) => service.clock.sleep(ms, signal) },
    retryForMs: hooks.retryForMs ?? POLL_RETRY_FOR_MS,
    gate: gate ?? { paused: () => false, waitUntilOpen: () => Promise.resolve() },
    failureOf: (error) => directFailureOf(error, signal),
    onProgress: (progress) => hooks.onProgress(progress),
    openPartScope: () => steps.openPartScope(),
  };
}

interface DirectParts {
  readonly openPartScope: () => PartScope;
  readonly sendPart: (input: PartInput<string>) => Promise<PartResult>;
}

/**
 * Sends parts in this process and retries each one until its time limit. It keeps one limiter per storage origin and
 * the fresh URL of an earlier try. When a scope is cancelled, its parts end.
 */
function createDirectParts(service: Service, sources: UploadSources, hooks: DirectHooks): DirectParts {
  const { hash, signal } = hooks;
  const { clock, options } = service;
  const limiters = createAimdLimiters();
  const storage = createOtherSide(clock, hooks);
  let scope = new AbortController();

  async function sendWithRetries(input: PartInput<string>): Promise<PartResult> {
    const { partNumber, uploadId, source } = input;
    const ending = signal === undefined ? scope.signal : AbortSignal.any([signal, scope.signal]);
    const deps: SendPartDeps = {
      transport: sources.transport,
      reader: sources.open(source),
      clock,
      requestUrl: (part, of) => requestUrl(service, { uploadId, partNumber: part }, of),
      contentType: options.partContentType,
      limiterOf: (url) => limiters.of(url),
      ...given({ hash }),
    };
    let { url } = input;
    let attempts = 0;
    const onRetry = (error: MediaServiceError): void => hooks.onPartRetry?.(partNumber, error);
    const result = await storage.retried(
      (tries) => {
        attempts = tries;
        const onFreshUrl = (fresh: typeof url): void => void (url = fresh);
        return sendPart(deps, { ...input, ...given({ url }) }, { signal: ending, onFreshUrl });
      },
      { signal: ending, onRetry },
    );
    return { partNumber, attempts, ...result };
  }

  return {
    sendPart: sendWithRetries,
    openPartScope: () => {
      const opened = new AbortController();
      scope = opened;
      return { run: (step) => step(), cancel: () => opened.abort() };
    },
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
