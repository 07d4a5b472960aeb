import type { IExecuteFunctions } from 'n8n-workflow';
import { MediaServiceError } from '../../../../api/errors';
import { systemClock } from '../../../../api/system-clock';
import type { UploadResult } from '../../../../api/upload/request/upload-request';
import type { LiveProgress, UploadHandle } from '../../../../temporal/client/upload-handle';

const PROGRESS_EVERY_MS = 5_000;

export interface Awaiting {
  readonly context: IExecuteFunctions;
  /** Aborts when the execution is cancelled. */
  readonly signal: AbortSignal | undefined;
  /** Cancel the upload when the execution is cancelled. */
  readonly cancelWithExecution: boolean;
}

/**
 * Waits for the end of an upload by one long poll; in a manual execution the editor's console shows its progress. A cancelled execution
 * rejects with what became of the upload.
 */
export async function awaitUpload(handle: UploadHandle, awaiting: Awaiting): Promise<UploadResult> {
  const { context, signal } = awaiting;
  const over = new AbortController();
  if (context.getMode() === 'manual') void showProgress(handle, context, over.signal);
  try {
    return await handle.result(signal);
  } catch (error) {
    if (signal?.aborted !== true) return await Promise.reject(error);
    return await leave(handle, awaiting.cancelWithExecution);
  } finally {
    over.abort();
  }
}

async function leave(handle: UploadHandle, cancel: boolean): Promise<never> {
  if (cancel) await handle.cancel();
  throw new MediaServiceError('Cancelled', 'The execution was canceled', {
    hint: cancel
      ? `The upload ${handle.workflowId} was cancelled as well; its session stays in the service, which has no call to remove it.`
      : `The upload ${handle.workflowId} goes on: see Upload > Get, and Upload > Cancel to end it.`,
  });
}

/** Progress is a courtesy: where it cannot be read, the wait goes on without. */
async function showProgress(
  handle: UploadHandle,
  context: IExecuteFunctions,
  over: AbortSignal,
): Promise<void> {
  try {
    for (;;) {
      await systemClock.sleep(PROGRESS_EVERY_MS, over);
      const progress = await handle.progress();
      if (!over.aborted) context.sendMessageToUI(progressText(progress));
    }
  } catch (error) {
    context.logger.debug(`Progress of ${handle.workflowId} ended: ${String(over.aborted || error)}`);
  }
}

export function progressText(progress: LiveProgress): string {
  const { phase, paused, bytesDone, bytesInFlight, bytesTotal, partsDone, partsTotal, fileName } = progress;
  const sent = bytesDone + bytesInFlight;
  const percent =
    bytesTotal === undefined || bytesTotal === 0 ? '' : ` ${Math.floor((100 * sent) / bytesTotal)} %`;
  const parts = partsTotal === undefined ? '' : `, part ${partsDone} of ${partsTotal}`;
  return `${fileName ?? 'Upload'}: ${paused ? 'paused, ' : ''}${phase}${percent}${parts}`;
}
