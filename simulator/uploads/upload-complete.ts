import { type Answer, type Call, Refusal, jsonAnswer } from '../http/answer';
import { readRecord } from '../http/request-body';
import type { SimulatorState } from '../state';
import { checkCompletion } from './complete-rules';
import { processUpload } from './processing';
import type { Session } from './session-registry';
import { sessionOf, shownSession } from './upload-session';

/**
 * POST {upload_url}/upload/{uploadId}/complete (api.md). Returns 202, and then processes the session in the
 * background.
 */
export async function completeUpload(state: SimulatorState, call: Call): Promise<Answer> {
  const { request, uploadId } = call;
  const session = sessionOf(state, call);
  try {
    checkCompletion(await readRecord(request), session, state.shapes);
  } catch (error) {
    if (error instanceof Refusal) noteRefusal(state, session, error);
    throw error;
  }
  session.status = 'PENDING_COMPLETE';
  session.completesAccepted += 1;
  state.recorder.emit('complete-accepted', { uploadId, mediaId: session.mediaId });
  void processUpload(state, session);
  if (state.shapes.has('complete-answers-empty')) return { status: 202, headers: {}, text: '' };
  return jsonAnswer(202, shownSession(state, session, session.status));
}

function noteRefusal(state: SimulatorState, session: Session, refusal: Refusal): void {
  session.completesRefused += 1;
  state.recorder.emit('complete-refused', { uploadId: session.uploadId, reason: refusal.message });
}
