import { type Answer, type Call, Refusal, jsonAnswer } from '../http/answer';
import type { JsonRecord } from '../json';
import type { MediaItem } from '../media/media-item';
import type { SimulatorState } from '../state';

interface StoredPart {
  /** Unquoted, as storage returned it. */
  readonly eTag: string;
  /** As storage has it. Differs from `eTag` only with an ETag fault. */
  readonly keptETag: string;
  readonly bytes: number;
  /** How often the part was stored. */
  readonly puts: number;
}

/** An upload session (api.md, "Upload session"). */
export interface Session {
  readonly uploadId: string;
  readonly s3UploadId: string;
  readonly keyName: string;
  readonly amountOfParts: number;
  /** Only the sub-account of its media can see the session. */
  readonly item: MediaItem;
  readonly parts: Map<number, StoredPart>;
  status: 'INITIALIZED' | 'PARTIAL' | 'PENDING_COMPLETE' | 'COMPLETED' | 'FAILED';
  failureReason: string | null;
  completesAccepted: number;
  completesRefused: number;
}

/**
 * Changes the session from INITIALIZED to PARTIAL with its first part ("the move from INITIALIZED to PARTIAL: not
 * shown").
 */
export function notePart(session: Session, partNumber: number, part: Omit<StoredPart, 'puts'>): void {
  const puts = (session.parts.get(partNumber)?.puts ?? 0) + 1;
  session.parts.set(partNumber, { ...part, puts });
  if (session.status === 'INITIALIZED') session.status = 'PARTIAL';
}

/** @throws Refusal "400 invalid uploadId", also for an unknown session or another sub-account's. */
export function sessionOf(
  state: SimulatorState,
  { uploadId, subAccountId }: Pick<Call, 'uploadId' | 'subAccountId'>,
): Session {
  const session = state.sessions.get(uploadId);
  if (session?.item.subAccountId === subAccountId) return session;
  throw new Refusal(state.shapes.has('unknown-upload-404') ? 404 : 400, 'The uploadId is invalid.');
}

/** GET {upload_url}/upload/{uploadId} (api.md). */
export async function readUpload(state: SimulatorState, call: Call): Promise<Answer> {
  const { uploadId } = call;
  const session = sessionOf(state, call);
  const odd = state.faults.take({ operation: 'session', when: 'inside', uploadId });
  return jsonAnswer(
    200,
    shownSession(state, session, odd === undefined ? session.status : (odd.reason ?? 'ASSEMBLING')),
  );
}

/** The session with every field of api.md, in the chosen shape. */
export function shownSession(state: SimulatorState, session: Session, status: string): JsonRecord {
  const { shapes, storage } = state;
  const address = storage.urls.objectUrl(session.keyName);
  const shown = shapes.has('file-url-signed') ? `${address}?X-Amz-Signature=${'0'.repeat(64)}` : address;
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
    ...(shapes.has('parts-hidden') ? {} : { parts: shownParts(session, shapes.has('parts-quoted')) }),
  };
  return shapes.has('session-wrapped') ? { data: fields } : fields;
}

function shownParts({ parts }: Session, isQuoted: boolean): JsonRecord[] {
  return [...parts]
    .sort(([a], [b]) => a - b)
    .map(([partNumber, { eTag }]) => ({ partNumber, eTag: isQuoted ? `"${eTag}"` : eTag }));
}
