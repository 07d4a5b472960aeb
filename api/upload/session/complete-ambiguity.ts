import { MediaServiceError } from '../../errors';
import type { Service } from '../../service/service';
import { arrivalOf, completeAmbiguous, SECOND_READ_MS } from './arrival';
import { readKnownSession } from './session-status';
import type { UploadSession } from './session';

/**
 * Reads the session after a `complete` that may have arrived: twice, some seconds apart, unless the first read shows
 * that it did. It may be sent again only if both reads say that it did not arrive. Rejects with `CompleteAmbiguous` if
 * the session does not show it.
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

/**
 * Reads the session after a `complete` was sent. If the read fails, the error is ambiguous: nobody knows whether
 * `complete` arrived.
 */
export async function readAfterSending(
  service: Service,
  uploadId: string,
  signal?: AbortSignal,
): Promise<UploadSession> {
  try {
    return await readKnownSession(service, uploadId, signal);
  } catch (error) {
    if (!(error instanceof MediaServiceError) || error.code === 'Cancelled') throw error;
    const { code, message, facts } = error;
    throw new MediaServiceError(code, message, { ...facts, outcome: 'ambiguous' }, { cause: error });
  }
}
