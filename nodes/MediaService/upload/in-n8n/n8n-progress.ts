import type { IExecuteFunctions } from 'n8n-workflow';
import type { DirectHooks } from '../../../../api/upload/direct/direct-steps';
import type { UploadProgress } from '../../../../api/upload/request/upload-request';
import { progressText } from '../progress-text';

const SHOW_EVERY_MS = 2_000;

export interface ProgressView extends Pick<DirectHooks, 'onPartBytes' | 'onStepRetry' | 'onPartRetry'> {
  readonly onProgress: (progress: UploadProgress) => void;
}

/**
 * Progress in the editor's console during a manual execution, every two seconds and at each new phase. Errors that are
 * retried appear there too, and in n8n's log. Calls `onSent` when the whole file is sent.
 */
export function progressView(context: IExecuteFunctions, onSent: () => void): ProgressView {
  const manual = context.getMode() === 'manual';
  const inFlight = new Map<number, number>();
  let latest: UploadProgress | undefined;
  let shownAt = 0;
  const show = (always: boolean): void => {
    if (!manual || latest === undefined || (!always && Date.now() - shownAt < SHOW_EVERY_MS)) return;
    shownAt = Date.now();
    const bytesInFlight = [...inFlight.values()].reduce((sum, bytes) => sum + bytes, 0);
    context.sendMessageToUI(progressText({ ...latest, bytesInFlight }));
  };
  const say = (what: string): void => {
    context.logger.warn(`${context.getNode().name}: ${what}`);
    if (manual) context.sendMessageToUI(what);
  };
  return {
    onStepRetry: (error) => say(`Trying again: ${error.message}`),
    onPartRetry: (part, error) => say(`Trying part ${part} again: ${error.message}`),
    onProgress(progress) {
      const newPhase = progress.phase !== latest?.phase;
      latest = progress;
      if (progress.phase === 'processing') onSent();
      for (const part of inFlight.keys()) if (!progress.partsRunning.includes(part)) inFlight.delete(part);
      show(newPhase);
    },
    onPartBytes(partNumber, bytes) {
      inFlight.set(partNumber, bytes);
      show(false);
    },
  };
}
