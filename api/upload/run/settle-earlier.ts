import { DEFAULT_UPLOAD_OPTIONS } from '../../options/upload-options';
import type { EarlierSession, UploadRequest, UploadResult } from '../request/upload-request';
import { arrivalOf, completeAmbiguous, isTerminal, isUnknownSession } from '../session/session';
import type { UploadSession } from '../session/session';
import type { PinnedSource } from '../sources/source';
import { identitiesDiffer, sourceIdentity } from '../sources/source-identity';
import type { UploadSteps } from '../upload-steps';
import { stepFailureOf } from './upload-tracker';
import type { UploadControl, UploadTracker } from './upload-tracker';

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
  { request, steps, control, tracker }: Omit<Settling, 'pinned'>,
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
