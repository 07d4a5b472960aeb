import { MediaServiceError } from '../../api/errors';
import { mapInOrder } from '../../api/map-in-order';
import type { UploadHandle } from '../../temporal/upload/client/open-upload';
import type { PlannedUpload } from './upload-plan';
import type { WatchedUpload } from './watch-uploads';

const STARTS_AT_ONCE = 16;

interface StartUploads {
  readonly start: (upload: PlannedUpload) => Promise<UploadHandle>;
  readonly onStart: (upload: WatchedUpload) => Promise<void>;
  /** A refused upload does not stop the others. */
  readonly onRefusal: (file: string, error: MediaServiceError) => void;
  readonly signal: AbortSignal;
}

/**
 * Starts uploads, several at once, and reports each in its order. Resolves with the started ones. Rejects once no more
 * can be started: Temporal is unreachable, or the signal aborted. Uploads started before that continue.
 */
export async function startUploads(
  planned: readonly PlannedUpload[],
  { start, onStart, onRefusal, signal }: StartUploads,
): Promise<WatchedUpload[]> {
  const started: WatchedUpload[] = [];
  const attempts = mapInOrder(planned, STARTS_AT_ONCE, async (upload) => {
    signal.throwIfAborted();
    try {
      const { file, bytes } = upload;
      return { file, handle: await start(upload), ...(bytes === undefined ? {} : { bytes }) };
    } catch (error) {
      if (!(error instanceof MediaServiceError) || error.code === 'TemporalUnreachable') throw error;
      return { file: upload.file, error };
    }
  });
  for await (const attempt of attempts) {
    if ('error' in attempt) {
      onRefusal(attempt.file, attempt.error);
      continue;
    }
    started.push(attempt);
    await onStart(attempt);
  }
  return started;
}
