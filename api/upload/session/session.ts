import { MediaServiceError } from '../../errors';
import type { ErrorFacts } from '../../errors';

/** The operation, in the interface's words. */
export const READ_SESSION = 'upload session status';

/** Pause between two reads that must agree, ms: a `complete` may still be on its way, or the service starting again. */
export const SECOND_READ_MS = 5_000;

/** An upload session as read by GET {upload_url}/upload/{uploadId}. */
export interface UploadSession {
  readonly uploadId: string;
  readonly mediaId?: string;
  /** In upper case; may be a value that the interface does not list, of at most 500 characters. */
  readonly status: string;
  /** Without its query. */
  readonly fileUrl?: string;
  readonly failureReason?: string;
  readonly sanitizedTitle?: string;
  readonly creator?: string;
  readonly bucketName?: string;
  readonly keyName?: string;
  readonly s3UploadId?: string;
  readonly parts: readonly SessionPart[];
}

export interface SessionPart {
  readonly partNumber: number;
  /** Unquoted. */
  readonly eTag: string;
}

/**
 * What the session's status says about a `complete` with an unknown answer. `arrived`: PENDING_COMPLETE, COMPLETED or
 * FAILED. `not-arrived`: INITIALIZED or PARTIAL. `unknown`: a status that the interface does not list.
 * docs/decisions/start-and-complete.
 */
export type Arrival = 'arrived' | 'not-arrived' | 'unknown';

export function arrivalOf(status: string): Arrival {
  if (status === 'PENDING_COMPLETE' || isTerminal(status)) return 'arrived';
  return status === 'INITIALIZED' || status === 'PARTIAL' ? 'not-arrived' : 'unknown';
}

export function completeAmbiguous(uploadId: string, status: string, cause?: unknown): MediaServiceError {
  return new MediaServiceError(
    'CompleteAmbiguous',
    `upload complete: its answer was lost, and the session's status ${status} does not say whether it arrived`,
    {
      operation: 'upload complete',
      outcome: 'ambiguous',
      hint: 'Read the session again later: PENDING_COMPLETE, COMPLETED or FAILED mean that complete arrived.',
      details: { uploadId, status },
    },
    { cause },
  );
}

/**
 * Returns whether these facts of an error mean that the service itself does not know the session. A gateway's page does
 * not.
 */
export function isUnknownSession({ operation, status, details }: ErrorFacts): boolean {
  return operation === READ_SESSION && (status === 400 || status === 404) && details?.['passing'] !== true;
}

/** Returns whether polling ends with this status. */
export function isTerminal(status: string): boolean {
  return status === 'COMPLETED' || status === 'FAILED';
}
