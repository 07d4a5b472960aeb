import { given } from '../../json';
import { fileTypeOf, mimeTypeOf, refuseOtherContent } from '../file-type';
import { DEFAULT_UPLOAD_OPTIONS } from '../../options/upload-options';
import type {
  UploadRequest,
  UploadResult,
  EarlierSession,
  MediaFields,
  PartInput,
  PartResult,
  StartedSession,
  UploadSteps,
} from '../types';
import { partRuns, planParts } from '../plan';
import type { Part } from '../plan';
import { processingFailed } from '../protocol/poll-session';
import type { PinnedSource, SourceDescriptor } from '../sources/source';
import { startUnambiguously } from './start-ambiguity';
import { stepFailureOf, uploadErrorOf, UploadTracker } from './upload-tracker';
import type { UploadControl } from './upload-tracker';
import { checkUpload } from '../validate';
import { arrivalOf, completeAmbiguous, isTerminal, isUnknownSession } from '../protocol/session';
import type { UploadSession } from '../protocol/session';
import { identitiesDiffer, sourceIdentity } from '../sources/source-rules';

export type { PartScope, UploadControl } from './upload-tracker';

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
    const context = { request: checked, steps, control, tracker };
    const pinned = await pin(context);
    if ('result' in pinned) return pinned.result;
    source = pinned.source;
    tracker.note({ fileName: pinned.fileName, bytesTotal: pinned.bytes });
    const settled = await settleEarlier({ ...context, pinned });
    if (settled !== undefined) return settled;
    return await uploadPinned(planRun(pinned, context));
  } catch (error) {
    const failure = uploadErrorOf(error, control, tracker);
    tracker.note({ phase: failure.code === 'Cancelled' ? 'cancelled' : 'failed' });
    throw failure;
  } finally {
    // A source that can't be removed must not hide how the upload ended.
    await steps.releaseSource({ source }).catch(() => undefined);
  }
}

type Context = Pick<Run, 'request' | 'steps' | 'control' | 'tracker'>;

/** Even without its source, an upload may turn out to be completed by an earlier run. */
async function pin(context: Context): Promise<PinnedSource | { readonly result: UploadResult }> {
  const { request, steps, control, tracker } = context;
  tracker.note({ phase: 'pinning' });
  try {
    return await steps.pinSource({ source: request.source });
  } catch (error) {
    if (stepFailureOf(error, control).code === 'Cancelled') throw error;
    const result = await settleEarlier(context);
    if (result === undefined) throw error;
    return { result };
  }
}

interface Run {
  readonly request: UploadRequest;
  readonly pinned: PinnedSource;
  readonly media: MediaFields;
  readonly parts: readonly Part[];
  readonly steps: UploadSteps;
  readonly control: UploadControl;
  readonly tracker: UploadTracker;
}

/** Decides everything before the first request, so that a file that can't be uploaded creates no session. */
function planRun(pinned: PinnedSource, context: Context): Run {
  const { request, tracker } = context;
  const { partBytes, maxParts, acceptAnyContent } = request.options;
  const fileType = fileTypeOf({ ...pinned, ...request.media });
  if (acceptAnyContent !== true) refuseOtherContent(pinned, fileType);
  const { bytes, partMemoryBytes } = pinned;
  const parts = planParts({ bytes, partBytes, partMemoryBytes, maxParts });
  tracker.note({ partsTotal: parts.length, fileType });
  // Parts don't need what was checked here.
  const { content: _content, ...source } = pinned;
  const media = { ...request.media, fileType };
  return { ...context, pinned: source, media, parts };
}

async function uploadPinned(run: Run): Promise<UploadResult> {
  const { steps, tracker, pinned, media } = run;
  tracker.note({ phase: 'starting' });
  const started = await start(run);
  const { uploadId } = started;
  tracker.sessionBegan(started);
  tracker.note({ phase: 'uploading' });
  await sendAll(started, run);
  tracker.note({ phase: 'completing' });
  tracker.completion = 'tried';
  const parts = tracker.parts.map(({ partNumber, eTag }) => ({ partNumber, eTag }));
  const accepted = await steps.completeSession({ uploadId, parts });
  const session = await processed(accepted, run);
  if (session.status === 'FAILED') throw processingFailed(session);
  const { fileName, bytes } = pinned;
  return tracker.completed(session, { fileName, fileType: media.fileType, bytes });
}

function start(run: Run): Promise<StartedSession> {
  const { media, parts, request } = run;
  const { metadata, ingestKey, options, startPending = false } = request;
  const { startPauseMs, startLimitMs: limitMs } = { ...DEFAULT_UPLOAD_OPTIONS, ...options };
  const input = { media, ingestKey, amountOfParts: parts.length, limitMs, ...given({ metadata }) };
  return startUnambiguously(input, { ...run, startPending, startPauseMs });
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
  const { verifyMd5, stallMs } = { ...DEFAULT_UPLOAD_OPTIONS, ...request.options };
  const mimeType = mimeTypeOf(media.fileType) ?? pinned.mimeType;
  const url = urls.find((one) => one.partNumber === part.partNumber);
  return {
    ...part,
    ...{ uploadId, source: pinned, verifyMd5, stallMs },
    ...given({ mimeType, url }),
  };
}

interface PartSending {
  /** Parts that are sent by one call. */
  readonly runs: readonly (readonly Part[])[];
  /** Max parts at once. */
  readonly concurrency: number;
  /** Sends a run, at most `atOnce` of its parts at the same time. */
  readonly send: (run: readonly Part[], atOnce: number) => Promise<readonly PartResult[]>;
  readonly control: UploadControl;
  readonly tracker: UploadTracker;
}

/**
 * Sends all runs in order, together at most `concurrency` parts at once; a slow run delays no other. One of several
 * runs takes at most half of them, so that the next one begins before it ends. While the gate is closed, running ones
 * finish and none begins. The first failure ends the running ones and prevents new ones. The call rejects once none
 * runs.
 */
export async function runParts({ runs, concurrency, send, control, tracker }: PartSending): Promise<void> {
  const scope = control.openPartScope();
  const width = runs.length === 1 ? concurrency : Math.ceil(concurrency / 2);
  const running = new Set<Promise<void>>();
  let free = concurrency;
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    if (failure === undefined) scope.cancel();
    failure ??= { error };
  };

  async function begin(run: readonly Part[], atOnce: number): Promise<void> {
    free -= atOnce;
    for (const { partNumber } of run) tracker.partBegan(partNumber);
    let results: readonly PartResult[] = [];
    try {
      results = await scope.run(() => send(run, atOnce));
    } catch (error) {
      fail(error);
    }
    free += atOnce;
    for (const { partNumber } of run) {
      const result = results.find((one) => one.partNumber === partNumber);
      tracker.partEnded(partNumber, result);
    }
  }

  for (const run of runs) {
    while (failure === undefined && (free === 0 || control.gate.paused())) {
      const opened = free === 0 ? [] : [control.gate.waitUntilOpen().catch(fail)];
      await Promise.race([...opened, ...running]);
    }
    if (failure !== undefined) break;
    const one = begin(run, Math.min(run.length, free, width));
    running.add(one);
    void one.then(() => running.delete(one));
  }
  await Promise.all(running);
  if (failure !== undefined) throw failure.error;
}

/** `pinned` is unset if the source can't be read any more. */
type Settling = Context & Partial<Pick<Run, 'pinned'>>;

/**
 * Reads the session of an earlier run of this upload, so that a completed upload is never repeated. It waits while the
 * service processes the session, and resolves with its result once it is COMPLETED.
 *
 * Undefined means that the file must be uploaded:
 * - there was no such session, or the service does not know it;
 * - it ended FAILED;
 * - `complete` never arrived, which two reads some seconds apart show.
 *
 * The tracker then lists the session as an orphan. It ignores a session with other content. Rejects with
 * `CompleteAmbiguous` if the status does not show whether `complete` arrived. Pure.
 */
export async function settleEarlier(settling: Settling): Promise<UploadResult | undefined> {
  const { pinned, tracker, control } = settling;
  const { earlier } = settling.request;
  if (earlier === undefined || (pinned !== undefined && isOther(earlier, pinned))) return undefined;
  const { fileName, fileType, bytes } = earlier;
  tracker.sessionBegan(earlier);
  const session = await endOf(earlier, settling).catch((error: unknown) => {
    const { code, facts } = stepFailureOf(error, control);
    if (code === 'SessionGone' || isUnknownSession(facts)) return undefined;
    throw error;
  });
  if (session?.status === 'COMPLETED')
    return { ...tracker.completed(session, { fileName, fileType, bytes }), earlier: true };
  tracker.completion = 'none';
  tracker.sessionLost(reasonOf(session));
  return undefined;
}

function isOther({ bytes, identity }: EarlierSession, pinned: PinnedSource): boolean {
  return bytes !== pinned.bytes || identitiesDiffer(identity, sourceIdentity(pinned));
}

async function endOf({ uploadId }: EarlierSession, settling: Settling): Promise<UploadSession> {
  const session = await settling.steps.readSession({ uploadId });
  const { status } = session;
  settling.tracker.note({ sessionStatus: status });
  const arrival = arrivalOf(status);
  if (arrival === 'unknown') throw completeAmbiguous(uploadId, status);
  return arrival === 'arrived' ? processed(session, settling) : session;
}

/** Waits while the service processes a session whose `complete` it accepted. */
export async function processed(
  accepted: UploadSession,
  { request, steps, control, tracker }: Context,
): Promise<UploadSession> {
  const { uploadId, status } = accepted;
  const completedAt = control.clock.now();
  tracker.completion = 'accepted';
  tracker.note({ sessionStatus: status, phase: 'processing' });
  if (isTerminal(status)) return accepted;
  const limitMs = request.options.processingLimitMs ?? DEFAULT_UPLOAD_OPTIONS.processingLimitMs;
  const session = await steps.pollSession({ uploadId, completedAt, limitMs });
  tracker.note({ sessionStatus: session.status });
  return session;
}

function reasonOf(session: UploadSession | undefined): string {
  if (session === undefined) return 'the service no longer knew it';
  return session.status === 'FAILED'
    ? `it ended FAILED: ${session.failureReason ?? 'no reason'}`
    : 'an earlier run of this upload left it';
}
