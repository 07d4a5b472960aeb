import type { UploadResult } from '../../../../api/upload/request/upload-request';
import type { LiveProgress, UploadHandle } from '../../../../temporal/upload/client/open-upload';
import { awaitEnd } from '../../await-end';
import type { Awaiting } from '../../await-end';

/** Waits for the end of an upload, see `awaitEnd`. */
export function awaitUpload(handle: UploadHandle, awaiting: Awaiting): Promise<UploadResult> {
  const { workflowId } = handle;
  return awaitEnd(handle, awaiting, {
    progress: progressText,
    left: `The upload ${workflowId} continues: see Upload > Get, and Upload > Cancel to end it.`,
  });
}

export function progressText(progress: LiveProgress): string {
  const { phase, paused, bytesDone, bytesInFlight, bytesTotal, partsDone, partsTotal, fileName } = progress;
  const because = progress.waitReason === undefined ? '' : ` (${progress.waitReason.message})`;
  const sent = bytesDone + bytesInFlight;
  const percent =
    bytesTotal === undefined || bytesTotal === 0 ? '' : ` ${Math.floor((100 * sent) / bytesTotal)} %`;
  const parts = partsTotal === undefined ? '' : `, part ${partsDone} of ${partsTotal}`;
  return `${fileName ?? 'Upload'}: ${paused ? 'paused, ' : ''}${phase}${percent}${parts}${because}`;
}
