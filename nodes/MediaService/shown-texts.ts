import type { NodeExecutionHint } from 'n8n-workflow';
import type { JsonObject } from '../../api/json';
import type { UploadProgress, UploadResult } from '../../api/upload/types';

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

/** Hints for the editor after an upload that ended well: warnings, and sessions left in the service. */
export function hintsOf({
  orphans,
  fileName,
  warning,
  earlier,
}: UploadResult & { readonly warning?: string }): NodeExecutionHint[] {
  const hints: NodeExecutionHint[] = [];
  const say = (message: string): void => void hints.push(hintOf(`${fileName}: ${message}`, 'warning'));
  if (earlier === true)
    hints.push(hintOf(`${fileName} was completed by an earlier run; nothing was sent again.`, 'info'));
  if (warning !== undefined) say(warning);
  for (const { uploadId, mediaId, reason } of orphans) {
    say(
      `${uploadId === undefined ? `media ${mediaId ?? ''}` : `upload session ${uploadId}`} stays at the service: ${reason}.`,
    );
  }
  return hints;
}

/** The same for what the door shows. */
export function uploadHints(result: JsonObject): NodeExecutionHint[] {
  return hintsOf(result as unknown as UploadResult);
}

/** Media of an earlier run under the ingest key is the result. */
export function foundHint(mediaId: string): NodeExecutionHint {
  return hintOf(
    `Media ${mediaId} was uploaded by an earlier run under this ingest key; nothing was sent again.`,
    'info',
  );
}

function hintOf(message: string, type: 'info' | 'warning'): NodeExecutionHint {
  return { message, type, location: 'outputPane' };
}

/** What the door shows of a batch, as far as it is used here. */
interface Counts {
  readonly rows: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** The progress of a batch as the editor's console shows it. */
export function batchProgress(shown: JsonObject, waiting?: string): string {
  const { batchId, progress } = shown as unknown as {
    readonly batchId: string;
    readonly progress?: { readonly phase: string; readonly counts: Counts; readonly pausedBecause?: string };
  };
  const reason = progress?.pausedBecause ?? waiting;
  const because = reason === undefined ? '' : ` (${reason})`;
  if (progress === undefined) return `${batchId}: waiting${because}`;
  const { rows, completed, failed, cancelled } = progress.counts;
  const wrong = failed === 0 ? '' : `, ${failed} failed`;
  return `${batchId}: ${progress.phase}${because}, ${completed + failed + cancelled} of ${rows} rows ended${wrong}`;
}

/** Names the rows that were not uploaded. */
export function batchHints(result: JsonObject): NodeExecutionHint[] {
  const { batchId, counts, results } = result as unknown as {
    readonly batchId: string;
    readonly counts: Counts;
    readonly results: { readonly csv: string; readonly failed?: string };
  };
  const { rows, failed, cancelled } = counts;
  const open = failed + cancelled;
  if (open === 0) return [];
  const where = results.failed === undefined ? results.csv : `${results.failed}, a manifest of them`;
  const message = `${batchId}: ${open} of ${rows} rows were not uploaded. See ${where}, or Batch > Get Results. Batch > Retry Failed uploads them once more.`;
  return [{ message, type: 'warning', location: 'outputPane' }];
}
