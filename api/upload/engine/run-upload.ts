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
import { cutParts, partRuns, planParts } from '../plan-parts';
import type { Part } from '../plan-parts';
import { processingFailed } from '../protocol/poll-session';
import type { PinnedSource, SourceDescriptor } from '../sources/source';
import { isOther, keptParts, reasonToLeave } from './earlier-session';
import { startUnambiguously } from './start-ambiguity';
import { stepFailureOf, uploadErrorOf, UploadTracker } from './upload-tracker';
import type { UploadControl } from './upload-tracker';
import { checkUpload } from '../validate';
import { arrivalOf, completeAmbiguous, isTerminal } from '../protocol/session';
import type { UploadSession } from '../protocol/session';
import { identitiesMatch, sourceIdentity } from '../sources/source-rules';

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
    return (await settleEarlier({ ...context, pinned })) ?? (await uploadPinned(planRun(pinned, context)));
  } catch (error) {
    const failure = uploadErrorOf(error, control, tracker);
    tracker.note({ phase: failure.code === 'Cancelled' ? 'cancelled' : 'failed' });
    throw failure;
  } finally {
    // A source that can't be removed must not hide how the upload ended.
    await steps.releaseSource({ source }).catch(() => undefined);
  }
}

/** `pinned` is unset if the source can't be read any more. */
type Context = Omit<Run, 'pinned' | 'media' | 'parts'> & Partial<Pick<Run, 'pinned'>>;

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

/**
 * Decides everything before a session is started, so that a file that can't be uploaded creates none. `planned`: the
 * part size of a session that is continued.
 */
function planRun(pinned: PinnedSource, context: Context, planned?: number): Run {
  const { request, tracker } = context;
  const { partBytes, maxParts, acceptAnyContent } = request.options;
  const fileType = fileTypeOf({ ...pinned, ...request.media });
  if (acceptAnyContent !== true) refuseOtherContent(pinned, fileType);
  const { bytes, partMemoryBytes } = pinned;
  const parts =
    planned === undefined
      ? planParts({ bytes, partBytes, partMemoryBytes, maxParts })
      : cutParts(bytes, planned);
  tracker.note({ partsTotal: parts.length, fileType });
  // Parts don't need what was checked here.
  const { content: _content, ...source } = pinned;
  const media = { ...request.media, fileType };
  return { ...context, pinned: source, media, parts };
}

async function uploadPinned(run: Run): Promise<UploadResult> {
  const { tracker, pinned, media, parts } = run;
  tracker.note({ phase: 'starting' });
  const started = await start(run);
  const { uploadId, mediaId } = started;
  const { fileName, bytes } = pinned;
  const known = given({ mediaId, identity: sourceIdentity(pinned), partBytes: parts[0]?.bytes });
  const begun = { uploadId, fileName, fileType: media.fileType, bytes, ...known };
  tracker.sessionBegan(begun);
  const session = await finish(started, run);
  if (session.status === 'FAILED') throw processingFailed(session);
  return tracker.completed(session, begun);
}

function start(run: Run): Promise<StartedSession> {
  const { media, parts, request } = run;
  const { metadata, ingestKey, options, startPending = false } = request;
  const { startPauseMs, startLimitMs: limitMs } = { ...DEFAULT_UPLOAD_OPTIONS, ...options };
  const input = { media, ingestKey, amountOfParts: parts.length, limitMs, ...given({ metadata }) };
  return startUnambiguously(input, { ...run, startPending, startPauseMs });
}

/** Sends the parts that are not done, completes the session, and waits while the service processes it. */
async function finish(session: StartedSession, run: Run): Promise<UploadSession> {
  const { steps, tracker } = run;
  const { uploadId } = session;
  tracker.note({ phase: 'uploading' });
  await sendRest(session, run);
  tracker.note({ phase: 'completing' });
  tracker.completion = 'tried';
  const parts = tracker.parts.map(({ partNumber, eTag }) => ({ partNumber, eTag }));
  return processed(await steps.completeSession({ uploadId, parts }), run);
}

function sendRest(session: StartedSession, run: Run): Promise<void> {
  const { steps, tracker } = run;
  const done = new Set(tracker.parts.map(({ partNumber }) => partNumber));
  const parts = run.parts.filter(({ partNumber }) => !done.has(partNumber));
  const input = (part: Part): PartInput => partInput(part, session, run);
  const runs = steps.sendParts === undefined ? parts.map((part) => [part]) : partRuns(parts);
  return runParts(runs, run, async (together, atOnce) => {
    if (steps.sendParts !== undefined) return steps.sendParts(together.map(input), atOnce);
    return Promise.all(together.map((part) => steps.sendPart(input(part))));
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

/**
 * Sends all runs in order, together at most `concurrency` parts at once; a slow run delays no other. One of several
 * runs takes at most half of them, so that the next one begins before it ends. While the gate is closed, running ones
 * finish and none begins. The first failure ends the running ones and prevents new ones. The call rejects once none
 * runs. `send` sends a run, at most `atOnce` of its parts at the same time.
 */
async function runParts(
  runs: readonly (readonly Part[])[],
  { request, control, tracker }: Run,
  send: (run: readonly Part[], atOnce: number) => Promise<readonly PartResult[]>,
): Promise<void> {
  const { concurrency } = { ...DEFAULT_UPLOAD_OPTIONS, ...request.options };
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

/** Waits while the service processes a session whose `complete` it accepted. */
async function processed(
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

/**
 * Reads the session of an earlier run of this upload, so that a completed upload is never repeated, and an interrupted
 * one continues. It waits while the service processes the session. If `complete` never arrived, which two reads some
 * seconds apart show, it sends the parts that are missing, in the session's own plan, and completes it.
 *
 * Undefined means that the file needs a new session: this one is gone, ended FAILED, or can't be continued. The tracker
 * then lists it as an orphan. It ignores a session with other content. Rejects with `CompleteAmbiguous` if the status
 * does not show whether `complete` arrived, and with every failure that is not the session's. Pure.
 */
async function settleEarlier(context: Context): Promise<UploadResult | undefined> {
  const { pinned, tracker, control } = context;
  const { earlier } = context.request;
  if (earlier === undefined || (pinned !== undefined && isOther(earlier, pinned))) return undefined;
  tracker.sessionBegan(earlier);
  let reason: string | undefined;
  try {
    const session = await endOf(earlier, context);
    if (session.status === 'COMPLETED') return tracker.completed(session, earlier);
    reason =
      session.status === 'FAILED'
        ? `it ended FAILED: ${session.failureReason ?? 'no reason'}`
        : 'an earlier run of this upload left it';
  } catch (error) {
    reason = reasonToLeave(stepFailureOf(error, control), tracker);
    if (reason === undefined) throw error;
  }
  tracker.sessionLost(reason);
  return undefined;
}

/** The session once it has ended, or as it is if this upload can't continue it. */
async function endOf(earlier: EarlierSession, context: Context): Promise<UploadSession> {
  const { steps, tracker, pinned } = context;
  const { uploadId, partBytes, identity } = earlier;
  const session = await steps.readSession({ uploadId });
  const { status } = session;
  tracker.note({ sessionStatus: status });
  const arrival = arrivalOf(status);
  if (arrival === 'unknown') throw completeAmbiguous(uploadId, status);
  if (arrival === 'arrived') return processed(session, context);
  if (pinned === undefined || partBytes === undefined) return session;
  if (!identitiesMatch(identity, sourceIdentity(pinned))) return session;
  const run = planRun(pinned, context, partBytes);
  const kept = keptParts(earlier, run.parts);
  if (!session.givesUrls && kept.length < run.parts.length) return session;
  tracker.keep(kept);
  return finish({ uploadId, urls: [] }, run);
}
