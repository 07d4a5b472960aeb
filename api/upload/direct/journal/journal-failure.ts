import { MediaServiceError } from '../../../errors';

const WAYS_OUT =
  'Give the same file and fields again to go on with that session, take another ingest key, or start again on purpose (in n8n: the option "Force New Upload").';

/** An earlier run was cut off between sending `start` and hearing its answer. */
export function startUnknown(searchable: boolean): MediaServiceError {
  return new MediaServiceError(
    'StartAmbiguous',
    'an earlier run ended before it heard the answer of upload start: an upload session may exist',
    {
      operation: 'upload start',
      outcome: 'ambiguous',
      hint: 'Run it again to start another session. To be sure that none was left, ask the operator of the service.',
      details: { ingestTag: searchable },
    },
  );
}

/** An upload under this ingest key has other media fields or metadata. */
export function differsFrom(uploadId: string): MediaServiceError {
  return new MediaServiceError(
    'InputDiffers',
    `upload session ${uploadId} under this ingest key began with other media fields or metadata`,
    { outcome: 'unsent', field: 'ingestKey', hint: WAYS_OUT, details: { uploadId } },
  );
}

/** The file is not the one whose parts the session holds. */
export function sourceDiffers(uploadId: string, fileName: string): MediaServiceError {
  return new MediaServiceError(
    'SourceChanged',
    `the source ${fileName} is not the file that upload session ${uploadId} under this ingest key began with`,
    { outcome: 'unsent', field: 'source', hint: WAYS_OUT, details: { uploadId } },
  );
}

/** Nothing may be sent to a session that was completed; whoever meets this reads it. */
export function sessionAccepted(uploadId: string): MediaServiceError {
  return new MediaServiceError('SessionGone', `upload session ${uploadId} was completed already`, {
    outcome: 'refused',
    details: { uploadId },
  });
}
