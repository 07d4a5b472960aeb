import { given } from '../json';
import { guessFileType, mimeTypeOf } from './request/file-type';
import type { FileTypeOrigin } from './request/file-type';
import { DEFAULT_UPLOAD_OPTIONS } from './request/upload-request';
import type { MediaFields, UploadRequest, UploadResult } from './request/upload-request';
import { partRuns, planParts } from './parts/part-plan';
import type { Part } from './parts/part-plan';
import { runParts } from './run/run-parts';
import { processingFailed } from './session/poll-session';
import { isAccepted, isTerminal } from './session/session';
import type { UploadSession } from './session/session';
import type { PinnedSource, SourceDescriptor } from './sources/source';
import { refuseOtherContent } from './sources/source-content';
import { ifKnown, settleEarlier } from './run/settle-earlier';
import { afterUnknownStart, MAX_SESSIONS, startUnambiguously } from './run/start-ambiguity';
import { UploadTracker } from './run/upload-tracker';
import type { UploadControl } from './run/upload-tracker';
import { stepFailureOf, uploadErrorOf } from './run/upload-failure';
import type { PartInput, StartedSession, UploadSteps } from './upload-steps';
import { checkUpload } from './request/upload-validation';

export type { PartScope, UploadControl, UploadGate } from './run/upload-tracker';

/**
 * Uploads one source until it is COMPLETED: pin, start, parts, complete, poll. Pure and deterministic: all I/O is in
 * `steps`, all time in `control`. So the same code runs in Temporal's workflow sandbox and in a plain process.
 *
 * It sends `complete` only when every part is done, with each part once, in ascending order. It never silently repeats
 * a `start` that may have created a session. It always releases the source; in Temporal that step must not be
 * cancellable.
 *
 * Rejects with a `MediaServiceError` with the failed step's code and the step's error as `cause`. `facts.details` names
 * what stays at the service (`uploadId`, `mediaId`, `orphans`). The code is `ProcessingFailed` if the session ended
 * FAILED, and `Cancelled` if the upload was cancelled. api.md, "Upload flow".
 */
export async function runUpload(
  request: UploadRequest,
  steps: UploadSteps,
  control: UploadControl,
): Promise<UploadResult> {
  const tracker = new UploadTracker(control, request);
  let source: SourceDescriptor = request.source;
  try {
    const checked = checkUpload(request);
    const context = { steps, control, tracker };
    const pinned = await pin(checked, context);
    if ('result' in pinned) return pinned.result;
    source = pinned.source;
    tracker.sourcePinned(pinned);
    const settled = await settleEarlier({ request: checked, pinned, ...context });
    if (settled !== undefined) return settled;
    return await uploadPinned(planRun(checked, pinned, context));
  } catch (error) {
    const failure = uploadErrorOf(error, control, tracker.footprint());
    tracker.enter(failure.code === 'Cancelled' ? 'cancelled' : 'failed');
    throw failure;
  } finally {
    await release(steps, source);
  }
}

type Context = Pick<Run, 'steps' | 'control' | 'tracker'>;

/** Even without its source, an upload may turn out to be completed by an earlier run. */
async function pin(
  request: UploadRequest,
  context: Context,
): Promise<PinnedSource | { readonly result: UploadResult }> {
  const { steps, control, tracker } = context;
  const { source } = request;
  try {
    return await tracker.during('pinning', 'pinMs', () => steps.pinSource({ source }));
  } catch (error) {
    if (stepFailureOf(error, control).code === 'Cancelled') throw error;
    const settled = await settleEarlier({ request, ...context });
    if (settled === undefined) throw error;
    return { result: settled };
  }
}

interface Run {
  readonly request: UploadRequest;
  readonly pinned: PinnedSource;
  readonly media: MediaFields;
  readonly fileTypeFrom: FileTypeOrigin;
  readonly parts: readonly Part[];
  readonly steps: UploadSteps;
  readonly control: UploadControl;
  readonly tracker: UploadTracker;
}

/** Decides everything before the first request, so that a file that can't be uploaded creates no session. */
function planRun(request: UploadRequest, pinned: PinnedSource, context: Context): Run {
  const { partBytes, maxParts, acceptAnyContent } = request.options;
  const { fileType, from } = guessFileType({ ...pinned, ...request.media });
  if (acceptAnyContent !== true) refuseOtherContent(pinned, fileType);
  const { bytes, partMemoryBytes } = pinned;
  const parts = planParts({ bytes, partBytes, partMemoryBytes, maxParts });
  context.tracker.planned(parts, fileType);
  const media = { ...request.media, fileType };
  // Parts don't need what was checked here.
  const { content: _content, ...source } = pinned;
  return { request, pinned: source, media, fileTypeFrom: from, parts, ...context };
}

async function uploadPinned(run: Run): Promise<UploadResult> {
  const { tracker, control } = run;
  const transferred = await transfer(run);
  const accepted = transferred.accepted ?? (await complete(transferred.session, run));
  const completedAt = control.clock.now();
  const session = await tracker.during('processing', 'processingMs', () =>
    awaitProcessing({ accepted, completedAt, run }),
  );
  tracker.sessionRead(session.status);
  if (session.status === 'FAILED') throw processingFailed(session);
  tracker.enter('completed');
  return resultOf(run, transferred.session, session);
}

interface Transferred {
  readonly session: StartedSession;
  /** Set if the session turned out to be completed already. */
  readonly accepted?: UploadSession;
}

/**
 * Starts a session and sends all parts. If the session ended and the caller allows it, it does so once more with a new
 * session.
 */
async function transfer(run: Run, restarted = false): Promise<Transferred> {
  const { tracker, control, request } = run;
  const session = await tracker.during('starting', 'startMs', () => start(run, restarted));
  tracker.sessionBegan(session);
  try {
    await tracker.during('uploading', 'transferMs', () => sendAll(session, run));
    return { session };
  } catch (error) {
    const { code } = stepFailureOf(error, control);
    if (code !== 'SessionGone' && code !== 'UrlExpired') throw error;
    const accepted = code === 'SessionGone' ? await readAccepted(session, run) : undefined;
    if (accepted !== undefined) return { session, accepted };
    const mayRestart = request.options.restartOnExpiry ?? DEFAULT_UPLOAD_OPTIONS.restartOnExpiry;
    if (!mayRestart || restarted || tracker.sessionsStarted >= MAX_SESSIONS) throw error;
    tracker.sessionLost(code === 'UrlExpired' ? 'its URLs expired' : 'storage no longer knew it');
    return await transfer(run, true);
  }
}

function start(run: Run, restarted: boolean): Promise<StartedSession> {
  const { metadata, ingestKey, options, startPending = false } = run.request;
  const { startPauseMs, startLimitMs: limitMs } = { ...DEFAULT_UPLOAD_OPTIONS, ...options };
  return startUnambiguously(
    {
      media: run.media,
      ingestKey,
      amountOfParts: run.parts.length,
      limitMs,
      ...(metadata === undefined ? {} : { metadata }),
    },
    { ...run, steps: startPending && !restarted ? afterUnknownStart(run.steps) : run.steps, startPauseMs },
  );
}

function sendAll(session: StartedSession, run: Run): Promise<void> {
  const { parts, steps, control, tracker, request } = run;
  const input = (part: Part): PartInput => partInput(part, session, run);
  return runParts({
    runs: steps.sendParts === undefined ? parts.map((part) => [part]) : partRuns(parts),
    concurrency: request.options.concurrency ?? DEFAULT_UPLOAD_OPTIONS.concurrency,
    send: async (together, atOnce) => {
      if (steps.sendParts !== undefined) return steps.sendParts(together.map(input), atOnce);
      return Promise.all(together.map((part) => steps.sendPart(input(part))));
    },
    control,
    tracker,
  });
}

function partInput(part: Part, { uploadId, urls }: StartedSession, run: Run): PartInput {
  const { pinned, media, request } = run;
  const options = { ...DEFAULT_UPLOAD_OPTIONS, ...request.options };
  const mimeType = mimeTypeOf(media.fileType) ?? pinned.mimeType;
  const url = urls.find((one) => one.partNumber === part.partNumber);
  return {
    ...part,
    uploadId,
    source: pinned,
    verifyMd5: options.verifyMd5,
    minimumThroughput: options.minimumThroughput,
    stallMs: options.stallMs,
    ...given({ mimeType, url }),
    ...bandwidthOf(request.options, uploadId),
  };
}

function bandwidthOf(
  { bytesPerSecond, bandwidthGroup }: UploadRequest['options'],
  uploadId: string,
): Pick<PartInput, 'bandwidth'> {
  if (bytesPerSecond === undefined) return {};
  return { bandwidth: { group: bandwidthGroup ?? uploadId, bytesPerSecond } };
}

/** Returns the session if it was completed although storage no longer knows its parts; otherwise undefined. */
async function readAccepted(
  { uploadId }: StartedSession,
  { steps, control }: Run,
): Promise<UploadSession | undefined> {
  const session = await ifKnown(control, () => steps.readSession({ uploadId }));
  return session !== undefined && isAccepted(session.status) ? session : undefined;
}

async function complete({ uploadId }: StartedSession, { steps, tracker }: Run): Promise<UploadSession> {
  const parts = tracker.parts.map(({ partNumber, eTag }) => ({ partNumber, eTag }));
  tracker.completion = 'tried';
  const session = await tracker.during('completing', 'completeMs', () =>
    steps.completeSession({ uploadId, parts }),
  );
  tracker.sessionRead(session.status);
  return session;
}

interface Processing {
  readonly accepted: UploadSession;
  readonly completedAt: number;
  readonly run: Run;
}

async function awaitProcessing({ accepted, completedAt, run }: Processing): Promise<UploadSession> {
  run.tracker.completion = 'accepted';
  run.tracker.sessionRead(accepted.status);
  if (isTerminal(accepted.status)) return accepted;
  const limitMs = run.request.options.processingLimitMs ?? DEFAULT_UPLOAD_OPTIONS.processingLimitMs;
  return run.steps.pollSession({ uploadId: accepted.uploadId, completedAt, limitMs });
}

function resultOf(
  { pinned, media, fileTypeFrom, tracker }: Run,
  started: StartedSession,
  session: UploadSession,
): UploadResult {
  const mediaId = started.mediaId ?? session.mediaId;
  return {
    uploadId: started.uploadId,
    ...(mediaId === undefined ? {} : { mediaId }),
    status: 'COMPLETED',
    ...(session.fileUrl === undefined ? {} : { fileUrl: session.fileUrl }),
    fileName: pinned.fileName,
    fileType: media.fileType,
    fileTypeFrom,
    bytes: pinned.bytes,
    parts: tracker.parts,
    durations: tracker.durations(),
    retries: tracker.retries,
    orphans: tracker.orphans,
    orphansVerifiable: tracker.orphansVerifiable,
    ...(tracker.warning === undefined ? {} : { warning: tracker.warning }),
  };
}

/** A source that can't be removed must not hide how the upload ended. */
async function release(steps: UploadSteps, source: SourceDescriptor): Promise<void> {
  await steps.releaseSource({ source }).catch(() => undefined);
}
