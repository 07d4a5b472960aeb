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

/** Waits while the service processes the session. */
async function endOf({ uploadId }: EarlierSession, settling: Settling): Promise<UploadSession> {
  const { request, steps, control, tracker } = settling;
  const session = await steps.readSession({ uploadId });
  const { status } = session;
  tracker.note({ sessionStatus: status });
  const arrival = arrivalOf(status);
  if (arrival === 'unknown') throw completeAmbiguous(uploadId, status);
  if (arrival === 'not-arrived') return session;
  tracker.completion = 'accepted';
  if (isTerminal(status)) return session;
  const limitMs = request.options.processingLimitMs ?? DEFAULT_UPLOAD_OPTIONS.processingLimitMs;
  tracker.note({ phase: 'processing' });
  return steps.pollSession({ uploadId, completedAt: control.clock.now(), limitMs });
}

function reasonOf(session: UploadSession | undefined): string {
  if (session === undefined) return 'the service no longer knew it';
  return session.status === 'FAILED'
    ? `it ended FAILED: ${session.failureReason ?? 'no reason'}`
    : 'an earlier run of this upload left it';
}
