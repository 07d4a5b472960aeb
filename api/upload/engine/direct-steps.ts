import { redact } from '../../answers/redact';
import { MediaServiceError } from '../../errors';
import { given } from '../../json';
import type { PartHashFactory } from '../../md5/part-hash';
import { createOtherSide, RETRY_FOR_MS, withRetries } from '../../retry';
import type { SideHooks } from '../../retry';
import type { Service } from '../../service/service';
import { createAimdLimiters } from '../part/admission';
import { sendPart } from '../part/send-part';
import type { UploadControl, PartScope } from './run-upload';
import { requestUrl } from '../protocol/additional-urls';
import { pollSession } from '../protocol/poll-session';
import type { UploadSession } from '../protocol/session';
import { startSession, requireUploadHost } from '../protocol/start-session';
import type { UploadSources, SourceDescriptor } from '../sources/source';
import type { StepFailure, PartInput, PollInput, UploadSteps } from '../types';
import type { Clock } from '../../clock';
import type { PartRequestResult } from '../part/part-request';
import type { SendPartHooks } from '../part/send-part';
import { completeSession } from '../protocol/complete-session';
import { readTwice } from '../protocol/session';
import { findOrphans } from '../protocol/ingest-key';
import { isOurs } from '../sources/source-rules';

/**
 * The steps of an upload as plain calls in this process, without Temporal; nothing survives the process. Temporary
 * failures are retried with backoff and Retry-After. When a part fails for good, the other running parts end.
 */
export function createDirectSteps(
  service: Service,
  sources: UploadSources,
  hooks: DirectHooks = {},
): DirectSteps {
  const { clock, options } = service;
  const { signal } = hooks;
  const host = createOtherSide(clock, hooks);
  const file = createOtherSide(clock, hooks);
  const storage = createOtherSide(clock, hooks);
  const admission = createAimdLimiters();
  const driver: PlainDriver = {
    signal,
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
          admission,
          ...given({ hash: hooks.hash }),
        },
        part,
        partHooks,
      ),
  };
  return {
    ...plainSteps(service, sources, driver),
    startSession: async (input) => {
      if (signal?.aborted === true) throw beforeStart(signal.reason);
      // Not cancellable: otherwise the id of a new session could be lost.
      return host.once(() => startSession(service, input));
    },
    pollSession: (input) => pollToTheEnd(service, input, hooks),
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
  hooks: DirectHooks & Pick<UploadControl, 'onProgress' | 'onSession'>,
): UploadControl {
  const { signal } = hooks;
  return {
    clock: { now: () => service.clock.now(), sleep: (ms) => service.clock.sleep(ms, signal) },
    retryForMs: hooks.retryForMs ?? RETRY_FOR_MS,
    gate: { paused: () => false, waitUntilOpen: () => Promise.resolve() },
    failureOf: (error) => directFailureOf(error, signal),
    onProgress: (progress) => hooks.onProgress(progress),
    onSession: (session) => hooks.onSession?.(session),
    openPartScope: () => steps.openPartScope(),
  };
}

const POLL_DELAY_MS = 1_000;
const LONGEST_POLL_DELAY_MS = 60_000;
const POLL_GROWTH = 1.5;

/**
 * Polls in this process until the session is COMPLETED or FAILED, with growing pauses. It may fail as long as processing
 * may take, if that is longer than `RETRY_FOR_MS`. Rejects as `pollSession` does,
 * and with the signal's reason.
 */
export async function pollToTheEnd(
  service: Service,
  input: PollInput,
  hooks: DirectHooks = {},
): Promise<UploadSession> {
  const { signal } = hooks;
  const left = input.completedAt + input.limitMs - service.clock.now();
  const retryForMs = hooks.retryForMs ?? Math.max(RETRY_FOR_MS, left);
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

/** What the caller of an upload in this process can observe and decide. */
export interface DirectHooks extends SideHooks {
  /** A try of a part failed and another one follows. */
  onPartRetry?(partNumber: number, error: MediaServiceError): void;
  readonly hash?: PartHashFactory;
}

/** How a process drives the steps of an upload by itself: n8n, the TypeScript client, and a row of a batch. */
export interface PlainDriver {
  readonly signal?: AbortSignal | undefined;
  /** Retries a step while it fails temporarily. `tries` counts from 1. */
  retried<T>(step: TriedStep, run: (tries: number) => Promise<T>): Promise<T>;
  /** A `start` failed and waits for its next try. */
  onWait(reason: MediaServiceError): void;
  /** Tries once to send a part. */
  sendOnce(part: PartInput<string>, hooks: SendPartHooks): Promise<PartRequestResult>;
}

export interface TriedStep {
  readonly name: Exclude<keyof UploadSteps, 'sendParts'>;
  readonly uploadId?: string;
  readonly partNumber?: number;
  /** Ends this step. Default: the driver's. */
  readonly signal?: AbortSignal;
}

/** The steps, and the scope that ends their parts together: pass it to `UploadControl.openPartScope`. */
export interface DirectSteps extends UploadSteps<string> {
  readonly openPartScope: () => PartScope;
}

/** The steps that every driver takes in the same way. A part keeps the fresh URL of an earlier try. */
export function plainSteps(
  service: Service,
  sources: Pick<UploadSources, 'pin' | 'release'>,
  driver: PlainDriver,
): Omit<DirectSteps, 'startSession' | 'pollSession' | 'sendParts'> {
  const { signal } = driver;
  const { clock } = service;
  let scope = new AbortController();
  return {
    pinSource: ({ source }) => driver.retried({ name: 'pinSource' }, () => sources.pin(source, signal)),
    async awaitUploadHost({ pauseMs, failure: { code, message, facts } }) {
      driver.onWait(new MediaServiceError(code, message, facts));
      await clock.sleep(pauseMs, signal);
      await driver.retried({ name: 'awaitUploadHost' }, () => requireUploadHost(service, signal));
    },
    findOrphans: (input) =>
      driver.retried({ name: 'findOrphans' }, () => findOrphans(service, input, signal)),
    completeSession: (input) =>
      driver.retried({ name: 'completeSession', uploadId: input.uploadId }, (tries) =>
        completeSession(service, { ...input, mayHaveBeenSent: tries > 1 }, signal),
      ),
    readSession: ({ uploadId }) =>
      driver.retried({ name: 'readSession', uploadId }, () => readTwice(service, uploadId, signal)),
    releaseSource: ({ source }) => releaseInTime(clock, source, sources),
    async sendPart(input) {
      const { partNumber, uploadId } = input;
      const ending = AbortSignal.any([...(signal === undefined ? [] : [signal]), scope.signal]);
      let { url } = input;
      let attempts = 0;
      const hooks = { signal: ending, onFreshUrl: (fresh: typeof url) => void (url = fresh) };
      const step = { name: 'sendPart', uploadId, partNumber, signal: ending } as const;
      const sent = await driver.retried(step, (tries) => {
        attempts = tries;
        return driver.sendOnce({ ...input, ...given({ url }) }, hooks);
      });
      return { ...sent, partNumber, attempts };
    },
    openPartScope() {
      const opened = new AbortController();
      scope = opened;
      return { run: (step) => step(), cancel: () => opened.abort() };
    },
  };
}

/** A file that can't be removed must not keep an upload from ending. */
const RELEASE_MS = 30_000;

/** Releases a source, but does not wait longer than `RELEASE_MS`, as for a network share that is away. */
async function releaseInTime(
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
