import { MediaServiceError } from '../../errors';
import type { Service } from '../../service/service';
import { readSession } from './session-status';
import type { UploadSession } from './session';
import { isAccepted } from './session';

/** Between the two reads that follow a `complete` without an answer, ms: the service may still be at it. */
const PAUSE_MS = 5_000;

/**
 * What the session says about a `complete` whose answer is not known. `arrived`: PENDING_COMPLETE, COMPLETED or FAILED; `not-arrived`:
 * INITIALIZED or PARTIAL; `unknown`: a status that the interface does not list. docs/decisions/0002.
 */
export type Arrival = 'arrived' | 'not-arrived' | 'unknown';

export function arrivalOf(status: string): Arrival {
  if (isAccepted(status)) return 'arrived';
  return status === 'INITIALIZED' || status === 'PARTIAL' ? 'not-arrived' : 'unknown';
}

/**
 * Reads the session after a `complete` that may have arrived: twice, some seconds apart, unless the first read says that it did. Only what
 * both reads call not arrived may be sent again. Rejects with `CompleteAmbiguous` where the session does not tell.
 */
export async function readAfterAmbiguity(
  service: Service,
  uploadId: string,
  signal?: AbortSignal,
): Promise<UploadSession> {
  const first = await readAfterSending(service, uploadId, signal);
  if (arrivalOf(first.status) === 'arrived') return first;
  await service.clock.sleep(PAUSE_MS, signal);
  const second = await readAfterSending(service, uploadId, signal);
  if (arrivalOf(second.status) === 'unknown') throw completeAmbiguous(uploadId, second.status);
  return second;
}

/** Reads the session after a `complete` was sent. Where the read fails, whether that arrived stays open: the error is ambiguous. */
export async function readAfterSending(
  service: Service,
  uploadId: string,
  signal?: AbortSignal,
): Promise<UploadSession> {
  try {
    return await readSession(service, uploadId, signal);
  } catch (error) {
    if (!(error instanceof MediaServiceError) || error.code === 'Cancelled') throw error;
    const { code, message, facts } = error;
    throw new MediaServiceError(code, message, { ...facts, outcome: 'ambiguous' }, { cause: error });
  }
}

export function completeAmbiguous(uploadId: string, status: string, cause?: unknown): MediaServiceError {
  return new MediaServiceError(
    'CompleteAmbiguous',
    `upload complete: its answer was lost, and the session's status ${status} does not tell whether it arrived`,
    {
      operation: 'upload complete',
      outcome: 'ambiguous',
      hint: 'Read the session again later: PENDING_COMPLETE, COMPLETED or FAILED mean that complete arrived.',
      details: { uploadId, status },
    },
    { cause },
  );
}
