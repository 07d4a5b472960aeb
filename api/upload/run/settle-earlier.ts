import { DEFAULT_UPLOAD_OPTIONS } from '../request/upload-request';
import type { EarlierSession, UploadRequest, UploadResult } from '../request/upload-request';
import { arrivalOf, completeAmbiguous } from '../session/complete-session';
import { isTerminal, isUnknownSession, SECOND_READ_MS } from '../session/session';
import type { UploadSession } from '../session/session';
import type { PinnedSource } from '../sources/source';
import { identitiesDiffer, sourceIdentity } from '../sources/source-identity';
import type { UploadSteps } from '../upload-steps';
import type { UploadControl, UploadTracker } from './upload-tracker';
import { stepFailureOf } from './upload-failure';

interface Settling {
  readonly request: UploadRequest;
  /** Unset: the source can't be read any more. */
  readonly pinned?: PinnedSource;
  readonly steps: UploadSteps;
  readonly control: UploadControl;
  readonly tracker: UploadTracker;
}

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
  const { pinned, tracker } = settling;
  const { earlier } = settling.request;
  if (earlier === undefined || (pinned !== undefined && isOther(earlier, pinned))) return undefined;
  const { uploadId, mediaId } = earlier;
  // Nothing is sent in this session, so it needs no URLs.
  tracker.sessionBegan({
    uploadId,
    ...(mediaId === undefined ? {} : { mediaId }),
    urls: [],
    renewable: false,
  });
  const session = await endOf(await readTwice(earlier, settling), settling);
  if (session?.status === 'COMPLETED') return resultOf(session, earlier, tracker);
  tracker.completion = 'none';
  tracker.sessionLost(reasonOf(session));
  return undefined;
}

function isOther({ bytes, identity }: EarlierSession, pinned: PinnedSource): boolean {
  return bytes !== pinned.bytes || identitiesDiffer(identity, sourceIdentity(pinned));
}

/** At the first read, a `complete` of the earlier run may still be on its way. */
async function readTwice(
  { uploadId }: EarlierSession,
  settling: Settling,
): Promise<UploadSession | undefined> {
  const first = await ifKnown(settling.control, () => settling.steps.readSession({ uploadId }));
  if (first === undefined || arrivalOf(first.status) === 'arrived') return first;
  await settling.control.clock.sleep(SECOND_READ_MS);
  return ifKnown(settling.control, () => settling.steps.readSession({ uploadId }));
}

/** Waits while the service processes the session. */
async function endOf(
  session: UploadSession | undefined,
  settling: Settling,
): Promise<UploadSession | undefined> {
  if (session === undefined) return undefined;
  const { uploadId, status } = session;
  const { request, steps, control, tracker } = settling;
  tracker.sessionRead(status);
  const arrival = arrivalOf(status);
  if (arrival === 'unknown') throw completeAmbiguous(uploadId, status);
  if (arrival === 'not-arrived') return session;
  tracker.completion = 'accepted';
  if (isTerminal(status)) return session;
  const limitMs = request.options.processingLimitMs ?? DEFAULT_UPLOAD_OPTIONS.processingLimitMs;
  const completedAt = control.clock.now();
  return tracker.during('processing', 'processingMs', () =>
    ifKnown(control, () => steps.pollSession({ uploadId, completedAt, limitMs })),
  );
}

/** Reads a session. Undefined if the service doesn't know it. */
export async function ifKnown(
  control: UploadControl,
  read: () => Promise<UploadSession>,
): Promise<UploadSession | undefined> {
  try {
    return await read();
  } catch (error) {
    const { code, facts } = stepFailureOf(error, control);
    if (code === 'SessionGone' || isUnknownSession(facts)) return undefined;
    throw error;
  }
}

function reasonOf(session: UploadSession | undefined): string {
  if (session === undefined) return 'the service no longer knew it';
  return session.status === 'FAILED'
    ? `it ended FAILED: ${session.failureReason ?? 'no reason'}`
    : 'an earlier run of this upload left it';
}

/** How the earlier run sent the file is unknown. */
function resultOf(
  { fileUrl, mediaId }: UploadSession,
  earlier: EarlierSession,
  tracker: UploadTracker,
): UploadResult {
  const { uploadId, fileName, fileType, bytes } = earlier;
  const id = mediaId ?? earlier.mediaId;
  tracker.enter('completed');
  return {
    uploadId,
    ...(id === undefined ? {} : { mediaId: id }),
    status: 'COMPLETED',
    ...(fileUrl === undefined ? {} : { fileUrl }),
    fileName,
    fileType,
    bytes,
    parts: [],
    earlier: true,
    durations: tracker.durations(),
    retries: 0,
    orphans: tracker.orphans,
    orphansVerifiable: true,
  };
}
