import { MediaServiceError } from '../errors';
import { retryDelayMs } from '../retry-delay';
import { isRetryable } from '../retryable';
import type { Service } from '../service';
import { requestUrls } from './additional-urls';
import { createAimdLimiters } from './aimd-limiter';
import { completeSession } from './complete-session';
import { findOrphans } from './orphans';
import type { PutResult } from './part-put';
import type { PartSendDeps } from './part-send';
import { sendPart } from './part-send';
import type { PartHashFactory } from './parts/part-hash';
import { pollSession } from './poll-session';
import type { PartScope, UploadControl } from './run-upload';
import type { SourceAccess } from './source-pin';
import { pinSource } from './source-pin';
import { releaseSource } from './source-release';
import { openSource } from './sources/open-source';
import { readSession } from './session-status';
import type { UploadSession } from './session';
import { startSession } from './start-session';
import type { PartInput, PartResult, PartUrl, StepFailure, UploadSteps } from './upload-steps';

export interface DirectHooks {
  /** Cancels the upload. */
  readonly signal?: AbortSignal;
  /** Bytes of a part that is under way; starts anew with each try. */
  onPartBytes?(partNumber: number, bytesSoFar: number): void;
  /** A try of a part failed and another one follows. */
  onPartRetry?(partNumber: number, error: MediaServiceError): void;
  /** Every status that is read while the service processes. */
  onSessionStatus?(status: string): void;
  readonly hash?: PartHashFactory;
  /** How long a step may go on failing before the upload gives up, ms. Default 15 minutes. */
  readonly partPatienceMs?: number;
  /** First pause between two rounds of polling, ms; grows to a minute. Default 5,000. */
  readonly pollDelayMs?: number;
}

/** The steps, and how their parts are ended together: hand it to `UploadControl.openPartScope`. */
export interface DirectSteps extends UploadSteps<string> {
  openPartScope(): PartScope;
}

const PART_PATIENCE_MS = 15 * 60_000;
const LEAST_TRIES = 5;
const POLL_DELAY_MS = 5_000;
const LONGEST_POLL_DELAY_MS = 60_000;
const POLL_GROWTH = 1.5;

/**
 * The steps of an upload as plain calls in this process, without Temporal: nothing survives the process. Failures that pass are repeated with
 * backoff and Retry-After; parts that still run when another one failed are ended.
 */
export function createDirectSteps(
  service: Service,
  access: SourceAccess,
  hooks: DirectHooks = {},
): DirectSteps {
  const { signal } = hooks;
  const sending = createPartSending(service, access, hooks);
  return {
    openPartScope: sending.openPartScope,
    putPart: sending.putPart,
    pinSource: ({ source }) => persistently(service, hooks, () => pinSource(access, source, signal)),
    startSession: (input) => startSession(service, input, signal === undefined ? {} : { signal }),
    findOrphans: (input) => findOrphans(service, input, signal),
    completeSession: (input) =>
      persistently(service, hooks, (tries) =>
        completeSession(service, { ...input, mayHaveBeenSent: tries > 1 }, signal),
      ),
    readSession: ({ uploadId }) => readSession(service, uploadId, signal),
    pollSession: (input) => pollToTheEnd(service, input, hooks),
    releaseSource: ({ source }) => releaseSource(access, source),
  };
}

/** A step's failure for `UploadControl.failureOf`: ours as it is, an abort as `Cancelled`, anything else as `Internal`. */
export function directFailureOf(error: unknown): StepFailure {
  if (error instanceof MediaServiceError) {
    return { code: error.code, message: error.message, facts: error.facts };
  }
  if (error instanceof Error && error.name === 'AbortError') {
    return { code: 'Cancelled', message: 'the upload was cancelled', facts: {} };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'Internal', message, facts: { outcome: 'ambiguous' } };
}

/** What `runUpload` needs besides the steps: the service's clock, cancellation by `hooks.signal`, and a gate that is always open. */
export function directControl(
  service: Service,
  steps: DirectSteps,
  hooks: DirectHooks & Pick<UploadControl, 'onProgress'> & Partial<Pick<UploadControl, 'gate'>>,
): UploadControl {
  const { signal, gate } = hooks;
  return {
    clock: { now: () => service.clock.now(), sleep: (ms) => service.clock.sleep(ms, signal) },
    gate: gate ?? { paused: () => false, waitUntilOpen: () => Promise.resolve() },
    failureOf: (error) =>
      signal?.aborted === true && error === signal.reason
        ? { code: 'Cancelled', message: 'the upload was cancelled', facts: {} }
        : directFailureOf(error),
    onProgress: (progress) => hooks.onProgress(progress),
    openPartScope: () => steps.openPartScope(),
  };
}

function createPartSending(
  service: Service,
  access: SourceAccess,
  hooks: DirectHooks,
): { openPartScope(): PartScope; putPart(input: PartInput<string>): Promise<PartResult> } {
  const limiters = createAimdLimiters();
  let scope = new AbortController();
  let bytesPerSecond: number | undefined;

  async function putPart(input: PartInput<string>): Promise<PartResult> {
    const ending = linked([hooks.signal, scope.signal]);
    let url: PartUrl<string> | undefined = input.url;
    let attempts = 0;
    const deps: PartSendDeps = {
      transport: access.transport,
      reader: openSource(access, input.source),
      clock: service.clock,
      requestUrls: (partNumbers, signal) =>
        requestUrls(service, { uploadId: input.uploadId, partNumbers }, signal),
      limiterOf: (storage) => limiters.of(storage),
      bytesPerSecond: () => bytesPerSecond,
      contentType: service.options.partContentType,
      ...(hooks.hash === undefined ? {} : { hash: hooks.hash }),
    };
    const send = (): Promise<PutResult> => {
      attempts += 1;
      return sendPart(
        deps,
        { ...input, ...(url === undefined ? {} : { url }) },
        {
          signal: ending.signal,
          onBytes: (bytes) => hooks.onPartBytes?.(input.partNumber, bytes),
          onFreshUrl: (fresh) => (url = fresh),
        },
      );
    };
    try {
      const { eTag, verified, bytes, ms } = await persistently(
        service,
        { ...hooks, signal: ending.signal },
        send,
        (error) => hooks.onPartRetry?.(input.partNumber, error),
      );
      bytesPerSecond = (bytes / Math.max(1, ms)) * 1000;
      return { partNumber: input.partNumber, eTag, verified, bytes, attempts, ms };
    } finally {
      ending.unlink();
    }
  }

  return {
    putPart,
    openPartScope() {
      const own = new AbortController();
      scope = own;
      return { run: (step) => step(), cancel: () => own.abort() };
    },
  };
}

/** Repeats what fails in a way that passes: at least `LEAST_TRIES` times, and until `partPatienceMs` have gone by since the first failure. */
async function persistently<T>(
  service: Service,
  { signal, partPatienceMs = PART_PATIENCE_MS }: DirectHooks,
  run: (tries: number) => Promise<T>,
  onRetry?: (error: MediaServiceError) => void,
): Promise<T> {
  const { clock } = service;
  let giveUpAt: number | undefined;
  for (let tries = 1; ; tries += 1) {
    try {
      return await run(tries);
    } catch (error) {
      if (signal?.aborted === true || !(error instanceof MediaServiceError) || !isRetryable(error))
        throw error;
      const delayMs = retryDelayMs(error, tries);
      giveUpAt ??= clock.now() + partPatienceMs;
      if (tries >= LEAST_TRIES && clock.now() + delayMs > giveUpAt) throw error;
      onRetry?.(error);
      await clock.sleep(delayMs, signal);
    }
  }
}

async function pollToTheEnd(
  service: Service,
  input: { readonly uploadId: string; readonly completedAt: number; readonly limitMs: number },
  hooks: DirectHooks,
): Promise<UploadSession> {
  let delayMs = hooks.pollDelayMs ?? POLL_DELAY_MS;
  for (;;) {
    const outcome = await persistently(service, hooks, () =>
      pollSession(service, input, {
        signal: hooks.signal,
        onStatus: (status) => hooks.onSessionStatus?.(status),
      }),
    );
    if (outcome.done) return outcome.session;
    await service.clock.sleep(delayMs, hooks.signal);
    delayMs = Math.min(LONGEST_POLL_DELAY_MS, delayMs * POLL_GROWTH);
  }
}

/** One signal for several, that leaves no listener behind on those that outlive it. */
function linked(signals: readonly (AbortSignal | undefined)[]): { signal: AbortSignal; unlink(): void } {
  const controller = new AbortController();
  const listeners = signals.map((signal) => {
    const onAbort = (): void => controller.abort(signal?.reason);
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    return () => signal?.removeEventListener('abort', onAbort);
  });
  return { signal: controller.signal, unlink: () => listeners.forEach((remove) => remove()) };
}
