import {
  CancellationScope,
  CancelledFailure,
  condition,
  defineQuery,
  setHandler,
  sleep,
  TemporalFailure,
  upsertMemo,
} from '@temporalio/workflow';
import { MediaServiceError } from '../../api/errors';
import { given } from '../../api/json';
import type { UploadResult, UploadSteps } from '../../api/upload/types';
import { runUpload } from '../../api/upload/engine/run-upload';
import type { UploadControl } from '../../api/upload/engine/run-upload';
import { applicationFailureOf } from '../application-failure';
import { PROGRESS_QUERY, STEP_RETRY_MS } from './types';
import type { Sealed, UploadMemo, UploadWorkflowInput, WorkflowProgress } from './types';
import { innermostFailureOf, stepFailureOf } from '../failure';
import { pauseSignal, resumeSignal } from '../workflow/signals';
import { workflowSteps } from './workflow-steps';

const progressQuery = defineQuery<WorkflowProgress>(PROGRESS_QUERY);

/**
 * Uploads one file: pins the source, starts a session, sends the parts, completes, and waits for COMPLETED.
 * `api/upload/engine/run-upload` defines the steps and their order, and here each is an activity.
 *
 * Bounds of the history: one activity for each 64 MiB of parts and a few more, at most six events each. Retries,
 * heartbeats, polling and queries add none. It never continues as new.
 */
export async function uploadMedia(input: UploadWorkflowInput): Promise<UploadResult> {
  const watch = watchProgress();
  try {
    return await untilBug((onBug) => runUpload(input, stepsOf(input, watch), controlOf(watch, onBug)));
  } catch (error) {
    throw isKnown(error) ? endOf(error) : error;
  }
}

/**
 * An error that nobody expected is a bug. It fails the workflow task before anything else is done, so that the upload
 * continues when the workers have a fixed build.
 */
function untilBug<T>(run: (onBug: (bug: unknown) => void) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    run(reject).then(resolve, reject);
  });
}

function isKnown(error: unknown): boolean {
  return error instanceof MediaServiceError || error instanceof TemporalFailure;
}

interface Watch {
  paused: boolean;
  progress: WorkflowProgress;
}

function stepsOf(input: UploadWorkflowInput, watch: Watch): UploadSteps<Sealed> {
  return workflowSteps(input, (waitReason) => {
    const { waitReason: _before, ...progress } = watch.progress;
    watch.progress = { ...progress, ...given({ waitReason }) };
  });
}

/** Handles queries and signals from the first task on. */
function watchProgress(): Watch {
  const watch: Watch = {
    paused: false,
    progress: { phase: 'pinning', paused: false, bytesDone: 0, partsDone: 0, partsRunning: [], retries: 0 },
  };
  const pause = (paused: boolean): void => {
    watch.paused = paused;
    watch.progress = { ...watch.progress, paused };
  };
  setHandler(progressQuery, () => watch.progress);
  setHandler(pauseSignal, () => pause(true));
  setHandler(resumeSignal, () => pause(false));
  return watch;
}

/** Cancelling the scope in which this is called cancels the upload. */
function controlOf(watch: Watch, onBug: (bug: unknown) => void): UploadControl {
  const scope = CancellationScope.current();
  return {
    clock: { now: () => Date.now(), sleep: (ms) => sleep(ms) },
    retryForMs: STEP_RETRY_MS,
    gate: { paused: () => watch.paused, waitUntilOpen: () => condition(() => !watch.paused) },
    // During a cancellation, a step can fail in another way (a stall, a lost worker). That counts as part of the
    // cancellation.
    failureOf(error) {
      if (!isKnown(error)) onBug(error);
      return innermostFailureOf(scope.consideredCancelled ? new CancelledFailure('cancelled') : error);
    },
    openPartScope: () => {
      const parts = new CancellationScope();
      return { run: (step) => parts.run(step), cancel: () => parts.cancel() };
    },
    onProgress: (progress) => void (watch.progress = progress),
    // Lists, cancelled uploads and the next start read it from the memo, without any worker.
    onSession: (session) => upsertMemo({ ...session } satisfies UploadMemo),
  };
}

/**
 * A cancellation ends the workflow as cancelled, with its message in the memo. Every other failure becomes a typed
 * failure.
 */
function endOf(error: unknown): Error {
  const { code, message, facts } = stepFailureOf(error);
  if (facts.details?.['startPending'] === true) upsertMemo({ startPending: true } satisfies UploadMemo);
  if (code !== 'Cancelled') return applicationFailureOf(error);
  const orphans = facts.details?.['orphans'];
  const named = typeof orphans === 'string' ? { orphans } : {};
  upsertMemo({ cancelled: { message, ...named, ...given({ hint: facts.hint }) } } satisfies UploadMemo);
  return new CancelledFailure(message);
}
