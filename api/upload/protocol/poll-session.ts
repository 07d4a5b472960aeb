import { MediaServiceError } from '../../errors';
import { given } from '../../json';
import type { Service } from '../../service/service';
import { isTerminal, isUnknownSession, readKnownSession } from './session';
import type { UploadSession } from './session';
import type { PollInput } from '../types';

/** "Still processing" is a value, not a failure. */
type PollOutcome =
  | { readonly done: true; readonly session: UploadSession }
  | { readonly done: false; readonly status: string };

/**
 * Reads the session once, and says whether it is COMPLETED or FAILED, or still processed. A status that the interface
 * does not list does not end the polling.
 *
 * Rejects with `ProcessingTimeout` after `limitMs`: still processing, not failed. Rejects with `SessionGone` after the
 * service's own 400 or 404, given twice. api.md, "Upload flow", step 6.
 */
export async function pollSession(
  service: Service,
  input: PollInput,
  signal?: AbortSignal,
): Promise<PollOutcome> {
  const session = await readKnownSession(service, input.uploadId, signal).catch((error: unknown) => {
    if (!(error instanceof MediaServiceError && isUnknownSession(error.facts))) throw error;
    const { uploadId } = input;
    throw new MediaServiceError(
      'SessionGone',
      `the service no longer knows upload session ${uploadId}, although it accepted complete`,
      { ...error.facts, details: { ...error.facts.details, uploadId } },
      { cause: error },
    );
  });
  const { status } = session;
  if (isTerminal(status)) return { done: true, session };
  if (service.clock.now() - input.completedAt >= input.limitMs) throw processingTimeout(input, status);
  return { done: false, status };
}

function processingTimeout({ uploadId, limitMs }: PollInput, status: string): MediaServiceError {
  return new MediaServiceError(
    'ProcessingTimeout',
    `the service is still processing upload session ${uploadId} after ${Math.round(limitMs / 1000)} s: it has not failed`,
    {
      operation: 'processing',
      outcome: 'ambiguous',
      hint: `Don't upload it again. Wait for the session ${uploadId}, or read it later with {waitForSession}.`,
      details: { uploadId, status, limitMs },
    },
  );
}

/** Makes the error for a session that ended FAILED, with the service's reason. */
export function processingFailed({ uploadId, mediaId, failureReason }: UploadSession): MediaServiceError {
  const reason = failureReason ?? 'the service gave no reason';
  return new MediaServiceError('ProcessingFailed', `the service could not process the upload: ${reason}`, {
    operation: 'processing',
    outcome: 'refused',
    hint: 'The bytes arrived; check that the file is sound and of the stated file type, then upload it again.',
    details: { uploadId, failureReason: failureReason ?? null, ...given({ mediaId }) },
  });
}
