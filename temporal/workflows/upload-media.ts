import {
  CancellationScope,
  CancelledFailure,
  condition,
  defineQuery,
  defineSignal,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertMemo,
} from '@temporalio/workflow';
import { MediaServiceError } from '../../api/errors';
import type { EarlierSession } from '../../api/upload/request/upload-request';
import { runUpload } from '../../api/upload/run-upload';
import type { UploadControl } from '../../api/upload/run-upload';
import { sourceIdentity } from '../../api/upload/sources/source-identity';
import type { UploadSteps } from '../../api/upload/upload-steps';
import { applicationFailureOf } from '../application-failure';
import { PAUSE_SIGNAL, PROGRESS_QUERY, RESUME_SIGNAL, UPLOAD_INPUT_SCHEMA } from '../contract';
import type {
  Sealed,
  UploadMemo,
  UploadProgress,
  UploadWorkflowInput,
  UploadWorkflowResult,
} from '../contract';
import { stepFailureOf } from '../failure';
import { activitySteps, DAY_MS } from './activity-steps';
import { progressDetails } from './progress-details';

const progressQuery = defineQuery<UploadProgress>(PROGRESS_QUERY);
const pauseSignal = defineSignal(PAUSE_SIGNAL);
const resumeSignal = defineSignal(RESUME_SIGNAL);

/**
 * Uploads one file: pin the source, start a session, send the parts, complete, wait for COMPLETED. The steps and their order are
 * `api/upload/run-upload`; here they are activities.
 *
 * What bounds the history: one activity per part and a handful besides, at most six events each, so that 120 parts stay below 1,000
 * events; retries, heartbeats, polling and queries add none. It never continues as new.
 */
export async function uploadMedia(input: UploadWorkflowInput): Promise<UploadWorkflowResult> {
  refuseNewerSchema(input.schema);
  const watch = watchProgress();
  try {
    return await runUpload(input, watchedSteps(input, watch), controlOf(watch, input.earlier));
  } catch (error) {
    throw endOf(error, watch);
  }
}

interface Watch {
  paused: boolean;
  progress: UploadProgress;
  /** Of the file's content. Unset: not known, or not yet. */
  identity: string | undefined;
}

function watchedSteps(input: UploadWorkflowInput, watch: Watch): UploadSteps<Sealed> {
  const steps = activitySteps(input);
  return {
    ...steps,
    async pinSource(step) {
      const pinned = await steps.pinSource(step);
      watch.identity = sourceIdentity(pinned);
      return pinned;
    },
  };
}

/** Answers queries and signals from the first task on. */
function watchProgress(): Watch {
  const watch: Watch = {
    paused: false,
    progress: { phase: 'pinning', paused: false, bytesDone: 0, partsDone: 0, partsRunning: [], retries: 0 },
    identity: undefined,
  };
  const show = (paused: boolean): void => {
    watch.paused = paused;
    watch.progress = { ...watch.progress, paused };
    setCurrentDetails(progressDetails(watch.progress));
  };
  setHandler(progressQuery, () => watch.progress);
  setHandler(pauseSignal, () => show(true));
  setHandler(resumeSignal, () => show(false));
  return watch;
}

function controlOf(watch: Watch, earlier: EarlierSession | undefined): UploadControl {
  const root = CancellationScope.current();
  return {
    clock: { now: () => Date.now(), sleep: (ms) => sleep(ms) },
    retryForMs: DAY_MS,
    gate: { paused: () => watch.paused, waitUntilOpen: () => condition(() => !watch.paused) },
    // A step can fail in another way while it is being cancelled (a stall, a lost worker): that is part of the cancellation.
    failureOf: (error) => stepFailureOf(root.consideredCancelled ? new CancelledFailure('cancelled') : error),
    openPartScope: () => {
      const scope = new CancellationScope();
      return { run: (step) => scope.run(step), cancel: () => scope.cancel() };
    },
    onProgress: (progress) => {
      const isNew = progress.uploadId !== watch.progress.uploadId;
      watch.progress = progress;
      if (isNew) noteSession(watch, earlier);
      setCurrentDetails(progressDetails(progress));
    },
  };
}

/** Lists, cancelled uploads and the next start read it from the memo, without any worker. */
function noteSession({ progress, identity }: Watch, earlier: EarlierSession | undefined): void {
  const { uploadId, mediaId, bytesTotal: bytes, fileName, fileType } = progress;
  if (uploadId === undefined) return;
  const file = uploadId === earlier?.uploadId ? earlier : { mediaId, fileName, fileType, bytes, identity };
  const entries = Object.entries({ ...file, uploadId }).filter(([, value]) => value !== undefined);
  upsertMemo(Object.fromEntries(entries) satisfies UploadMemo);
}

/** A failed workflow task is tried again until a newer worker takes it; a failed workflow would be lost. */
function refuseNewerSchema(schema: number): void {
  if (schema <= UPLOAD_INPUT_SCHEMA) return;
  throw new MediaServiceError(
    'InputTooNew',
    `The upload was started with input schema ${String(schema)}, this worker knows ${String(UPLOAD_INPUT_SCHEMA)}: update the workers.`,
  );
}

/** A cancellation ends the workflow as cancelled, with its words in the memo; every other failure as typed failure. */
function endOf(error: unknown, { progress }: Watch): Error {
  const { code, message, facts } = stepFailureOf(error);
  const hint = facts.hint === undefined ? {} : { hint: facts.hint };
  setCurrentDetails(progressDetails(progress, `${message}. ${facts.hint ?? ''}`));
  if (code !== 'Cancelled') return applicationFailureOf(error);
  upsertMemo({ cancelled: { message, ...hint } } satisfies UploadMemo);
  return new CancelledFailure(message);
}
