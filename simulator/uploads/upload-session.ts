import { type Answer, Refusal, jsonAnswer } from '../http/answer';
import type { Call } from '../http/call';
import type { JsonRecord } from '../json';
import type { World } from '../world';
import type { Session } from './session-registry';

/** @throws Refusal "400 invalid uploadId", for one that is unknown too. */
export function sessionOf(world: World, uploadId: string): Session {
  const session = world.sessions.get(uploadId);
  if (session !== undefined) return session;
  throw new Refusal(world.shapes.has('unknown-upload-404') ? 404 : 400, 'The uploadId is invalid.');
}

/** GET {upload_url}/upload/{uploadId} (api.md). */
export async function readUpload(world: World, { uploadId }: Call): Promise<Answer> {
  const session = sessionOf(world, uploadId);
  const odd = world.faults.take({ operation: 'session', when: 'inside', uploadId });
  return jsonAnswer(
    200,
    shownSession(world, session, odd === undefined ? session.status : (odd.reason ?? 'ASSEMBLING')),
  );
}

/** The session with every field of api.md, in the shape in force. */
export function shownSession(world: World, session: Session, status: string): JsonRecord {
  const { shapes, storage } = world;
  const address = storage.fileUrl(session.keyName);
  const fields: JsonRecord = {
    uploadId: session.uploadId,
    mediaId: session.mediaId,
    s3UploadId: session.s3UploadId,
    status: shapes.has('status-lower') ? status.toLowerCase() : status,
    bucketName: storage.bucket,
    keyName: session.keyName,
    fileUrl: shapes.has('file-url-signed') ? `${address}?X-Amz-Signature=${'0'.repeat(64)}` : address,
    creator: session.creator,
    title: session.item.title,
    sanitizedTitle: session.item.sanitizedTitle,
    failureReason: session.failureReason,
    metadata: session.metadata,
    ...(shapes.has('parts-hidden') ? {} : { parts: shownParts(session, shapes.has('parts-quoted')) }),
  };
  return shapes.has('session-wrapped') ? { data: fields } : fields;
}

function shownParts({ parts }: Session, isQuoted: boolean): JsonRecord[] {
  return [...parts]
    .sort(([a], [b]) => a - b)
    .map(([partNumber, { eTag }]) => ({ partNumber, eTag: isQuoted ? `"${eTag}"` : eTag }));
}
