import type { MediaItem } from '../media/media-item';

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

/** Whether it takes parts, requests for URLs and a completion. */
export function isOpen({ status }: Session): boolean {
  return status === 'INITIALIZED' || status === 'PARTIAL';
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

/** Ascending by part number. */
export function partsOf({ parts }: Session): (StoredPart & { readonly partNumber: number })[] {
  return [...parts].sort(([a], [b]) => a - b).map(([partNumber, part]) => ({ partNumber, ...part }));
}
