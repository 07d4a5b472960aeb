import { MediaServiceError } from '../../../errors';

const WAYS_OUT = { kind: 'continue-or-start-again' } as const;

/** An upload under this ingest key has other media fields or metadata. */
export function differsFrom(uploadId: string): MediaServiceError {
  return new MediaServiceError(
    'InputDiffers',
    `upload session ${uploadId} under this ingest key began with other media fields or metadata`,
    { outcome: 'unsent', field: 'ingestKey', remedy: WAYS_OUT, details: { uploadId } },
  );
}

/** The file is not the one whose parts are in the session. */
export function sourceDiffers(uploadId: string, fileName: string): MediaServiceError {
  return new MediaServiceError(
    'SourceChanged',
    `the source ${fileName} is not the file that upload session ${uploadId} under this ingest key began with`,
    { outcome: 'unsent', field: 'source', remedy: WAYS_OUT, details: { uploadId } },
  );
}

/** Nothing may be sent to a completed session. A caller that gets this error reads the session. */
export function sessionAccepted(uploadId: string): MediaServiceError {
  return new MediaServiceError('SessionGone', `upload session ${uploadId} was completed already`, {
    outcome: 'refused',
    details: { uploadId },
  });
}
