import type { JsonRecord } from '../json';
import type { MediaItem } from '../media/media-item';

export type SessionStatus = 'INITIALIZED' | 'PARTIAL' | 'PENDING_COMPLETE' | 'COMPLETED' | 'FAILED';

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
  readonly mediaId: string;
  /** Sub-account of the token that started the session. Other sub-accounts can't see the session. */
  readonly subAccountId: string;
  readonly s3UploadId: string;
  readonly keyName: string;
  readonly amountOfParts: number;
  readonly creator: string | null;
  readonly metadata: JsonRecord;
  readonly item: MediaItem;
  readonly parts: Map<number, StoredPart>;
  status: SessionStatus;
  failureReason: string | null;
  completesAccepted: number;
  completesRefused: number;
}

export class SessionRegistry {
  readonly #byUploadId = new Map<string, Session>();
  readonly #byStorageId = new Map<string, Session>();

  add(session: Session): void {
    this.#byUploadId.set(session.uploadId, session);
    this.#byStorageId.set(session.s3UploadId, session);
  }

  get(uploadId: string): Session | undefined {
    return this.#byUploadId.get(uploadId);
  }

  byStorageId(s3UploadId: string): Session | undefined {
    return this.#byStorageId.get(s3UploadId);
  }

  all(): Session[] {
    return [...this.#byUploadId.values()];
  }
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
