import type { Clock } from '../../clock';
import { MediaServiceError } from '../../errors';
import type { Service } from '../../service/service';
import { completeSession } from '../session/complete-session';
import { createReach, POLL_RETRY_FOR_MS, pollToTheEnd } from './reach';
import { findOrphans } from '../session/orphans';
import { withRetries } from '../../retry';
import type { PartScope, UploadControl } from '../run-upload';
import { isOurs } from '../sources/source-rules';
import { MIN_AGE } from '../sources/source';
import type { SourceDescriptor, UploadSources } from '../sources/source';
import { readKnownSession } from '../session/poll-session';
import { startSession } from '../session/start-session';
import { requireUploadHost } from '../session/upload-host';
import type { PartInput, PartResult, PartUrl, StepFailure, UploadSteps } from '../upload-steps';
import { requestUrls } from '../session/additional-urls';
import { createAimdLimiters, createPartRate } from '../parts/part-rate';
import { sendPart } from '../parts/send-part';
import type { SendPartDeps } from '../parts/send-part';
import type { PartHashFactory } from '../../md5/part-hash';

/** The steps, and the scope that ends their parts together: pass it to `UploadControl.openPartScope`. */
export interface DirectSteps extends UploadSteps<string> {
  readonly openPartScope: () => PartScope;
}

/** Nothing has started yet, so a wrong address must show soon. The spool folder gets room when other copies end. */
const PIN_RETRY_FOR_MS = 60_000;
export const SERVICE_HINT =
  'Check the addresses of the account, and that this machine may reach them (DNS, proxy, firewall).';
const SOURCE_HINT = 'Check the address of the file, and that this machine may reach it.';

/**
 * The steps of an upload as plain calls in this process, without Temporal; nothing survives the process. Temporary
 * failures are retried with backoff and Retry-After. When a part fails for good, the other running parts end.
 */
export function createDirectSteps(
  service: Service,
  sources: UploadSources,
  hooks: DirectHooks = {},
): DirectSteps {
  const { signal, retryForMs = POLL_RETRY_FOR_MS } = hooks;
  const onRetry = (error: MediaServiceError): void => hooks.onStepRetry?.(error);
  const { clock } = service;
  const host = createReach({ ...hooks, clock, hint: SERVICE_HINT });
  const file = createReach({ ...hooks, clock, hint: SOURCE_HINT });
  const calling = { clock, signal, retryForMs, onRetry, giveUp: host.giveUp };
  const call = <T>(run: (tries: number) => Promise<T>): Promise<T> =>
    withRetries(calling, (tries) => host.note(() => run(tries)));
  const pinRetryForMs = ({ facts }: MediaServiceError): number =>
    facts.field === 'spoolDir' || facts.field === MIN_AGE
      ? retryForMs
      : Math.min(retryForMs, PIN_RETRY_FOR_MS);
  const pinning = { clock, signal, retryForMs: pinRetryForMs, onRetry, giveUp: file.giveUp };
  return {
    ...createDirectParts(service, sources, { ...hooks, retryForMs }),
    pinSource: ({ source }) => withRetries(pinning, () => file.note(() => sources.pin(source, signal))),
    startSession: async (input) => {
      if (signal?.aborted === true) throw beforeStart(signal.reason);
      // Not cancellable: otherwise the id of a new session could be lost.
      return host.note(() => startSession(service, input));
    },
    awaitUploadHost: async ({ pauseMs, failure: { code, message, facts } }) => {
      onRetry(new MediaServiceError(code, message, facts));
      await clock.sleep(pauseMs, signal);
      await call(() => requireUploadHost(service, signal));
    },
    findOrphans: (input) => call(() => findOrphans(service, input, signal)),
    completeSession: (input) =>
      call((tries) =>
        completeSession(
          service,
          { ...input, mayHaveBeenSent: input.mayHaveBeenSent === true || tries > 1 },
          signal,
        ),
      ),
    readSession: ({ uploadId }) => call(() => readKnownSession(service, uploadId, signal)),
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

const STORAGE_HINT =
  'The service stores the parts of the file at this host: let this machine reach it (DNS, proxy, firewall), then upload again.';

interface DirectParts {
  readonly openPartScope: () => PartScope;
  readonly sendPart: (input: PartInput<string>) => Promise<PartResult>;
}

/**
 * Sends parts in this process and retries each one until its time limit. It keeps one limiter per storage origin, the
 * rate of earlier parts, and the fresh URL of an earlier try. When a scope is cancelled, its parts end.
 */
function createDirectParts(
  service: Service,
  sources: UploadSources,
  hooks: DirectHooks & { readonly retryForMs: number },
): DirectParts {
  const { signal } = hooks;
  const limiters = createAimdLimiters();
  const storage = createReach({ ...hooks, clock: service.clock, hint: STORAGE_HINT });
  let scope = new AbortController();
  const rate = createPartRate();

  const depsOf = ({ source, uploadId }: PartInput<string>): SendPartDeps => ({
    transport: sources.transport,
    reader: sources.open(source),
    clock: service.clock,
    requestUrls: (partNumbers, signal) => requestUrls(service, { uploadId, partNumbers }, signal),
    contentType: service.options.partContentType,
    limiterOf: (url) => limiters.of(url),
    bytesPerSecond: () => rate.bytesPerSecond(),
    ...(hooks.hash === undefined ? {} : { hash: hooks.hash }),
  });

  async function sendWithRetries(input: PartInput<string>): Promise<PartResult> {
    const { partNumber } = input;
    const ending = signal === undefined ? scope.signal : AbortSignal.any([signal, scope.signal]);
    const deps = depsOf(input);
    let url: PartUrl<string> | undefined = input.url;
    let attempts = 0;
    const result = await withRetries(
      {
        clock: service.clock,
        signal: ending,
        retryForMs: hooks.retryForMs,
        onRetry: (error) => hooks.onPartRetry?.(partNumber, error),
        giveUp: storage.giveUp,
      },
      (tries) => {
        attempts = tries;
        return storage.note(() =>
          sendPart(deps, url === undefined ? input : { ...input, url }, {
            signal: ending,
            onBytes: (bytes) => hooks.onPartBytes?.(partNumber, bytes),
            onFreshUrl: (fresh) => (url = fresh),
          }),
        );
      },
    );
    rate.note(result);
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

/** Including its last try, an upload that reaches no server within this time ends within a minute, ms. */
export const REACH_WITHIN_MS = 35_000;

/** What the caller of an upload in this process can observe and decide. */
export interface DirectHooks {
  /** Cancels the upload. */
  readonly signal?: AbortSignal;
  /** Bytes of a running part; restarts at 0 with each try. */
  onPartBytes?(partNumber: number, bytesSoFar: number): void;
  /** A try of a part failed and another one follows. */
  onPartRetry?(partNumber: number, error: MediaServiceError): void;
  /** Another step failed temporarily and is retried. */
  onStepRetry?(error: MediaServiceError): void;
  /** Every status that is read while the service processes the file. */
  onSessionStatus?(status: string): void;
  readonly hash?: PartHashFactory;
  /** How long a step may keep failing before the upload gives up, ms. Default 15 minutes. */
  readonly retryForMs?: number;
  /**
   * How long the service, its storage or the source may fail before it is first reached, ms. Default: as long as any
   * step.
   */
  readonly reachWithinMs?: number;
  /** First pause between two polls, ms; grows to a minute. Default 1,000. */
  readonly pollDelayMs?: number;
}
