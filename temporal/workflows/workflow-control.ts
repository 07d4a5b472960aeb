import { CancellationScope, CancelledFailure, condition, sleep } from '@temporalio/workflow';
import { DEFAULT_UPLOAD_OPTIONS } from '../../api/upload/request/upload-request';
import type { UploadProgress } from '../../api/upload/request/upload-request';
import type { UploadControl } from '../../api/upload/run-upload';
import { STEP_RETRY_MS } from '../contract/upload';
import { stepFailureOf } from '../failure';

interface ControlledUpload {
  /**
   * Parts that are given to the gatherer at once. Default: all of them, because the gatherer limits how many are sent
   * at once.
   */
  readonly partsAtOnce?: number;
  readonly isPaused: () => boolean;
  readonly onProgress: (progress: UploadProgress) => void;
}

/**
 * Time, pauses and cancellation of an upload in a workflow. Cancelling the scope in which this is called cancels the
 * upload.
 */
export function workflowControl({
  partsAtOnce = DEFAULT_UPLOAD_OPTIONS.maxParts,
  isPaused,
  onProgress,
}: ControlledUpload): UploadControl {
  const scope = CancellationScope.current();
  return {
    clock: { now: () => Date.now(), sleep: (ms) => sleep(ms) },
    retryForMs: STEP_RETRY_MS,
    partsAtOnce,
    gate: { paused: isPaused, waitUntilOpen: () => condition(() => !isPaused()) },
    // During a cancellation, a step can fail in another way (a stall, a lost worker). That counts as part of the
    // cancellation.
    failureOf: (error) =>
      stepFailureOf(scope.consideredCancelled ? new CancelledFailure('cancelled') : error),
    openPartScope: () => {
      const parts = new CancellationScope();
      return { run: (step) => parts.run(step), cancel: () => parts.cancel() };
    },
    onProgress,
  };
}
