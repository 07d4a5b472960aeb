import { MediaServiceError } from '../../errors';
import { isAccepted } from './session';

/**
 * What the session's status says about a `complete` with an unknown answer. `arrived`: PENDING_COMPLETE, COMPLETED or
 * FAILED. `not-arrived`: INITIALIZED or PARTIAL. `unknown`: a status that the interface does not list.
 * docs/decisions/0002.
 */
export type Arrival = 'arrived' | 'not-arrived' | 'unknown';

/** Pause between the two reads that show that a `complete` did not arrive, ms. It may still be on its way. */
export const SECOND_READ_MS = 5_000;

export function arrivalOf(status: string): Arrival {
  if (isAccepted(status)) return 'arrived';
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
