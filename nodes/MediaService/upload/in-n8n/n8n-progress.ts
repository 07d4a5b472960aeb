import type { IExecuteFunctions } from 'n8n-workflow';
import type { DirectHooks } from '../../../../api/upload/direct/direct-steps';
import type { UploadProgress } from '../../../../api/upload/request/upload-request';
import { progressText } from '../upload-texts';

const SHOW_EVERY_MS = 2_000;

export interface ProgressView extends Pick<DirectHooks, 'onStepRetry' | 'onPartRetry'> {
  readonly onProgress: (progress: UploadProgress) => void;
}

/**
 * Progress in the editor's console during a manual execution, every two seconds and at each new phase. Errors that are
 * retried appear there too, and in n8n's log. Calls `onSent` when the whole file is sent.
 */
export function progressView(context: IExecuteFunctions, onSent: () => void): ProgressView {
  const manual = context.getMode() === 'manual';
  let shown: { readonly phase?: string; readonly at: number } = { at: 0 };
  const say = (what: string): void => {
    context.logger.warn(`${context.getNode().name}: ${what}`);
    if (manual) context.sendMessageToUI(what);
  };
  return {
    onStepRetry: (error) => say(`Trying again: ${error.message}`),
    onPartRetry: (part, error) => say(`Trying part ${part} again: ${error.message}`),
    onProgress(progress) {
      const { phase } = progress;
      if (phase === 'processing') onSent();
      if (!manual || (phase === shown.phase && Date.now() - shown.at < SHOW_EVERY_MS)) return;
      shown = { phase, at: Date.now() };
      context.sendMessageToUI(progressText(progress));
    },
  };
}
