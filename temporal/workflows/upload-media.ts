import {
  CancelledFailure,
  defineQuery,
  setCurrentDetails,
  setHandler,
  upsertMemo,
} from '@temporalio/workflow';
import { adviceOf } from '../../api/advice';
import type { EarlierSession } from '../../api/upload/request/upload-request';
import { runUpload } from '../../api/upload/run-upload';
import type { UploadControl } from '../../api/upload/run-upload';
import { sourceIdentity } from '../../api/upload/sources/source-identity';
import type { UploadSteps } from '../../api/upload/upload-steps';
import { adviceText } from '../../api/typescript-words';
import { applicationFailureOf } from '../application-failure';
import { PROGRESS_QUERY, UPLOAD_INPUT_SCHEMA } from '../contract/upload';
import type {
  Sealed,
  UploadMemo,
  UploadProgress,
  UploadWorkflowInput,
  WorkflowProgress,
  UploadWorkflowResult,
} from '../contract/upload';
import { sessionOf } from '../contract/earlier-run';
import { stepFailureOf } from '../failure';
import type { UploadGroups } from '../contract/upload-groups';
import type { Gatherer } from './groups/gatherer';
import { gatheredSteps } from './groups/gathered-steps';
import { uploadGatherer } from './groups/upload-gatherer';
import { pauseSignal, resumeSignal } from './pause-signals';
import { progressDetails } from './progress-details';
import { refuseNewerSchema } from './refuse-newer-schema';
import { workflowControl } from './workflow-control';

const progressQuery = defineQuery<WorkflowProgress>(PROGRESS_QUERY);

/**
 * Uploads one file: pins the source, starts a session, sends the parts, completes, and waits for COMPLETED.
 * `api/upload/run-upload` defines the steps and their order. Here they are gathered into groups, and each group is one
 * activity.
 *
 * Bounds of the history: one group of parts for each 64 MiB and a few more, at most six events each. Temporal repeats
 * a group that makes no progress, which adds no events. Heartbeats, polling and queries add none either. A part that
 * fails while others are sent adds a timer and a group. It never continues as new.
 */
export async function uploadMedia(input: UploadWorkflowInput): Promise<UploadWorkflowResult> {
  refuseNewerSchema('The upload was started', input.schema, UPLOAD_INPUT_SCHEMA);
  const watch = watchProgress(input);
  try {
    return await runUpload(input, watchedSteps(input, watch), controlOf(watch, input.earlier));
  } catch (error) {
    throw endOf(error, watch);
  }
}

interface Watch {
  readonly gatherer: Gatherer<UploadGroups>;
  paused: boolean;
  progress: UploadProgress;
  /** Identity of the file's content. Unset: unknown so far. */
  identity: string | undefined;
  /** How the upload failed or was cancelled. */
  ending: string | undefined;
}

function watchedSteps(input: UploadWorkflowInput, watch: Watch): UploadSteps<Sealed> {
  const steps = gatheredSteps(input, watch.gatherer);
  return {
    ...steps,
    async pinSource(step) {
      const pinned = await steps.pinSource(step);
      watch.identity = sourceIdentity(pinned);
      return pinned;
    },
  };
}

/** Handles queries and signals from the first task on. */
function watchProgress({ account: { accountId }, options }: UploadWorkflowInput): Watch {
  const watch: Watch = {
    gatherer: uploadGatherer({
      accountId,
      options,
      maySendParts: () => !watch.paused,
      onChange: () => showDetails(watch),
    }),
    paused: false,
    progress: { phase: 'pinning', paused: false, bytesDone: 0, partsDone: 0, partsRunning: [], retries: 0 },
    identity: undefined,
    ending: undefined,
  };
  const show = (paused: boolean): void => {
    watch.paused = paused;
    watch.progress = { ...watch.progress, paused };
    showDetails(watch);
    if (!paused) watch.gatherer.resume();
  };
  setHandler(progressQuery, () => progressOf(watch));
  setHandler(pauseSignal, () => show(true));
  setHandler(resumeSignal, () => show(false));
  return watch;
}

/** Updates the details in Temporal's UI. */
function showDetails(watch: Watch): void {
  setCurrentDetails(progressDetails(progressOf(watch), watch.ending));
}

/** Of all parts that the gatherer has, only those in a running group count as running. */
function progressOf({ gatherer, progress }: Watch): WorkflowProgress {
  const underWay = new Set(gatherer.underWay('sendParts').map(({ partNumber }) => partNumber));
  const partsRunning = progress.partsRunning.filter((partNumber) => underWay.has(partNumber));
  const waitReason = gatherer.waiting()?.reason;
  return { ...progress, partsRunning, ...(waitReason === undefined ? {} : { waitReason }) };
}

function controlOf(watch: Watch, earlier: EarlierSession | undefined): UploadControl {
  return workflowControl({
    isPaused: () => watch.paused,
    onProgress(progress) {
      const isNew = progress.uploadId !== watch.progress.uploadId;
      watch.progress = progress;
      if (isNew) noteSession(watch, earlier);
      showDetails(watch);
    },
  });
}

/** Writes the session to the memo, where lists, cancelled uploads and the next start read it without any worker. */
function noteSession({ progress, identity }: Watch, earlier: EarlierSession | undefined): void {
  const session = sessionOf(progress, { identity, earlier });
  if (session !== undefined) upsertMemo({ ...session } satisfies UploadMemo);
}

/**
 * A cancellation ends the workflow as cancelled, with its message in the memo. Every other failure becomes a typed
 * failure.
 */
function endOf(error: unknown, watch: Watch): Error {
  const { code, message, facts } = stepFailureOf(error);
  const advice = adviceOf(facts);
  if (facts.details?.['startPending'] === true) upsertMemo({ startPending: true } satisfies UploadMemo);
  watch.ending = `${message}. ${adviceText(advice) ?? ''}`;
  showDetails(watch);
  if (code !== 'Cancelled') return applicationFailureOf(error);
  const orphans = facts.details?.['orphans'];
  const named = typeof orphans === 'string' ? { orphans } : {};
  upsertMemo({ cancelled: { message, ...named, ...advice } } satisfies UploadMemo);
  return new CancelledFailure(message);
}
