import { type Answer, type Call, Refusal, jsonAnswer } from '../http/answer';
import type { JsonRecord } from '../json';
import type { SimulatorState } from '../state';
import { type Session, partsOf } from './session';

/** @throws Refusal "400 invalid uploadId", also for an unknown session or another sub-account's. */
export function sessionOf(state: SimulatorState, { uploadId, subAccountId }: Call): Session {
  const session = state.sessions.get(uploadId);
  if (session?.item.subAccountId === subAccountId) return session;
  throw new Refusal(state.shapes.has('unknown-upload-404') ? 404 : 400, 'The uploadId is invalid.');
}

/** GET {upload_url}/upload/{uploadId} (api.md). */
export async function readUpload(state: SimulatorState, call: Call): Promise<Answer> {
  const session = sessionOf(state, call);
  const odd = state.faults.take({ operation: 'session', when: 'inside', uploadId: call.uploadId });
  const status = odd === undefined ? session.status : (odd.reason ?? 'ASSEMBLING');
  return jsonAnswer(200, shownSession(state, session, status));
}

/** The session with every field of api.md, in the chosen shape. */
export function shownSession(state: SimulatorState, session: Session, status: string): JsonRecord {
  const { shapes, storage } = state;
  const address = storage.urls.objectUrl(session.keyName);
  const shown = shapes.has('file-url-signed') ? `${address}?X-Amz-Signature=${'0'.repeat(64)}` : address;
  const parts = partsOf(session).map(({ partNumber, eTag }) => ({
    partNumber,
    eTag: shapes.has('parts-quoted') ? `"${eTag}"` : eTag,
  }));
  const fields: JsonRecord = {
    uploadId: session.uploadId,
    mediaId: session.item.id,
    s3UploadId: session.s3UploadId,
    status: shapes.has('status-lower') ? status.toLowerCase() : status,
    bucketName: storage.urls.bucket,
    keyName: session.keyName,
    fileUrl: shapes.has('file-url-at-end') && session.status !== 'COMPLETED' ? null : shown,
    creator: session.item.creator,
    title: session.item.title,
    sanitizedTitle: session.item.sanitizedTitle,
    failureReason: session.failureReason,
    metadata: session.item.metadata,
    ...(shapes.has('parts-hidden') ? {} : { parts }),
  };
  return shapes.has('session-wrapped') ? { data: fields } : fields;
}
