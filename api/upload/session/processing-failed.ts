import { MediaServiceError } from '../../errors';
import type { UploadSession } from './session';

/** Makes the error for a session that ended FAILED, with the service's reason. */
export function processingFailed({ uploadId, mediaId, failureReason }: UploadSession): MediaServiceError {
  const reason = failureReason ?? 'the service gave no reason';
  return new MediaServiceError('ProcessingFailed', `the service could not process the upload: ${reason}`, {
    operation: 'processing',
    outcome: 'refused',
    hint: 'The bytes arrived; check that the file is sound and of the stated file type, then upload it again.',
    details: {
      uploadId,
      failureReason: failureReason ?? null,
      ...(mediaId === undefined ? {} : { mediaId }),
    },
  });
}
