import { MediaServiceError } from '../../errors';
import type { Service } from '../../service/service';
import { completeSession } from '../session/complete-session';
import type { DirectHooks } from './direct-hooks';
import { POLL_RETRY_FOR_MS, pollToTheEnd } from './poll-to-the-end';
import { createDirectParts } from './direct-parts';
import { findOrphans } from '../session/orphans';
import { createReach } from './reach';
import { withRetries } from '../run/with-retries';
import type { PartScope, UploadControl } from '../run-upload';
import type { SourceAccess } from '../sources/source-access';
import { pinSource, releaseSource } from '../sources/read-source';
import { MIN_AGE } from '../sources/source-failure';
import { readKnownSession } from '../session/session-status';
import { startSession } from '../session/start-session';
import { requireUploadHost } from '../session/upload-host';
import type { StepFailure, UploadSteps } from '../upload-steps';

/** The steps, and the scope that ends their parts together: pass it to `UploadControl.openPartScope`. */
export interface DirectSteps extends UploadSteps<string> {
  readonly openPartScope: () => PartScope;
}

/** Nothing has started yet, so a wrong address must show soon. The spool folder gets room when other copies end. */
const PIN_RETRY_FOR_MS = 60_000;
const SERVICE_HINT =
  'Check the addresses of the account, and that this machine may reach them (DNS, proxy, firewall).';
const SOURCE_HINT = 'Check the address of the file, and that this machine may reach it.';

/**
 * The steps of an upload as plain calls in this process, without Temporal; nothing survives the process. Temporary
 * failures are retried with backoff and Retry-After. When a part fails for good, the other running parts end.
 */
export function createDirectSteps(
  service: Service,
  access: SourceAccess,
  hooks: DirectHooks = {},
): DirectSteps {
  const { signal, retryForMs = POLL_RETRY_FOR_MS } = hooks;
  const onRetry = (error: MediaServiceError): void => hooks.onStepRetry?.(error);
  const { clock } = service;
  const host = createReach({ ...hooks, clock, hint: SERVICE_HINT });
  const file = createReach({ ...hooks, clock, hint: SOURCE_HINT });
  const calling = { clock, signal: host.signal, retryForMs, onRetry, giveUp: host.giveUp };
  const call = <T>(run: (tries: number) => Promise<T>): Promise<T> =>
    withRetries(calling, (tries) => host.note(() => run(tries)));
  const pinRetryForMs = ({ facts }: MediaServiceError): number =>
    facts.field === 'spoolDir' || facts.field === MIN_AGE
      ? retryForMs
      : Math.min(retryForMs, PIN_RETRY_FOR_MS);
  const pinning = { clock, signal: file.signal, retryForMs: pinRetryForMs, onRetry, giveUp: file.giveUp };
  return {
    ...createDirectParts(service, access, { ...hooks, retryForMs }),
    pinSource: ({ source }) =>
      withRetries(pinning, () => file.note(() => pinSource(access, source, file.signal))),
    startSession: async (input) => {
      if (signal?.aborted === true) throw beforeStart(signal.reason);
      // Not cancellable: otherwise the id of a new session could be lost.
      return host.note(() => startSession(service, input));
    },
    awaitUploadHost: async ({ pauseMs, failure: { code, message, facts } }) => {
      onRetry(new MediaServiceError(code, message, facts));
      await clock.sleep(pauseMs, host.signal);
      await call(() => requireUploadHost(service, host.signal));
    },
    findOrphans: (input) => call(() => findOrphans(service, input, host.signal)),
    completeSession: (input) =>
      call((tries) =>
        completeSession(
          service,
          { ...input, mayHaveBeenSent: input.mayHaveBeenSent === true || tries > 1 },
          host.signal,
        ),
      ),
    readSession: ({ uploadId }) => call(() => readKnownSession(service, uploadId, host.signal)),
    pollSession: (input) => pollToTheEnd(service, input, hooks),
    releaseSource: ({ source }) => releaseSource(access, source),
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

/**
 * Converts an error for `UploadControl.failureOf`: our own stays as it is, an abort becomes `Cancelled`, anything else
 * becomes `Internal`.
 */
function directFailureOf(error: unknown): StepFailure {
  if (error instanceof MediaServiceError) {
    return { code: error.code, message: error.message, facts: error.facts };
  }
  if (isAbort(error)) {
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
    failureOf: (error) =>
      signal?.aborted === true && error === signal.reason && !(error instanceof MediaServiceError)
        ? { code: 'Cancelled', message: 'the upload was cancelled', facts: {} }
        : directFailureOf(error),
    onProgress: (progress) => hooks.onProgress(progress),
    openPartScope: () => steps.openPartScope(),
  };
}
