import { MediaServiceError } from '../../errors';
import type { Service } from '../../service/service';
import { arrivalOf, completeAmbiguous, SECOND_READ_MS } from './arrival';
import { readSession } from './session-status';
import type { UploadSession } from './session';

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
  await service.clock.sleep(SECOND_READ_MS, signal);
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
