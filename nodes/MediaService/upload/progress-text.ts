import type { JsonObject } from '../../../api/json';
import type { UploadProgress } from '../../../api/upload/request/upload-request';

interface ShownProgress extends UploadProgress {
  readonly bytesInFlight?: number;
}

/** The progress of an upload as the editor's console shows it. */
export function progressText(progress: ShownProgress, because?: string): string {
  const {
    phase,
    paused,
    bytesDone,
    bytesInFlight = 0,
    bytesTotal,
    partsDone,
    partsTotal,
    fileName,
  } = progress;
  const reason = because === undefined ? '' : ` (${because})`;
  const sent = bytesDone + bytesInFlight;
  const percent =
    bytesTotal === undefined || bytesTotal === 0 ? '' : ` ${Math.floor((100 * sent) / bytesTotal)} %`;
  const parts = partsTotal === undefined ? '' : `, part ${partsDone} of ${partsTotal}`;
  return `${fileName ?? 'Upload'}: ${paused ? 'paused, ' : ''}${phase}${percent}${parts}${reason}`;
}

/** The same for an upload on a worker. */
export function uploadProgress(shown: JsonObject, waiting?: string): string {
  const { progress } = shown as unknown as { readonly progress?: ShownProgress };
  return progress === undefined
    ? `Upload: waiting (${waiting ?? 'no worker has begun it'})`
    : progressText(progress, waiting);
}
