import { type Answer, Refusal, jsonAnswer } from '../http/answer';
import { readRecord } from '../http/request-body';
import type { Call } from '../http/call';
import type { World } from '../world';
import { checkCompletion } from './complete-rules';
import { processUpload } from './processing';
import type { Session } from './session-registry';
import { sessionOf, shownSession } from './upload-session';

/** POST {upload_url}/upload/{uploadId}/complete (api.md): 202, then the session is processed by itself. */
export async function completeUpload(world: World, { request, uploadId }: Call): Promise<Answer> {
  const session = sessionOf(world, uploadId);
  try {
    checkCompletion(await readRecord(request), session, world.shapes);
  } catch (error) {
    if (error instanceof Refusal) noteRefusal(world, session, error);
    throw error;
  }
  session.status = 'PENDING_COMPLETE';
  session.completesAccepted += 1;
  world.recorder.completesAccepted += 1;
  world.recorder.emit('complete-accepted', { uploadId, mediaId: session.mediaId });
  void processUpload(world, session);
  if (world.shapes.has('complete-answers-empty')) return { status: 202, headers: {}, text: '' };
  return jsonAnswer(202, shownSession(world, session, session.status));
}

function noteRefusal(world: World, session: Session, refusal: Refusal): void {
  session.completesRefused += 1;
  world.recorder.completesRefused += 1;
  world.recorder.emit('complete-refused', { uploadId: session.uploadId, reason: refusal.message });
}
