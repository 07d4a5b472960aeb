import type { IExecuteFunctions } from 'n8n-workflow';
import { hasCode, MediaServiceError } from '../../api/errors';
import { systemClock } from '../../api/clock';
import { sentenceOf } from '../../n8n/error-words';

const PROGRESS_EVERY_MS = 5_000;

export interface Awaiting {
  readonly context: IExecuteFunctions;
  /** Aborts when the execution is cancelled. */
  readonly signal: AbortSignal | undefined;
}

/** Something that runs in Temporal: an upload or a batch. */
export interface Awaited<Result, Progress> {
  readonly workflowId: string;
  result(signal?: AbortSignal): Promise<Result>;
  progress(): Promise<Progress>;
}

interface AwaitWords<Progress> {
  /** Progress in the editor's console. */
  readonly progress: (progress: Progress) => string;
  /** What becomes of the workflow when the execution was cancelled. */
  readonly left: string;
}

/**
 * Waits for the end with one long poll. In a manual execution, the editor's console shows the progress. If the
 * execution is cancelled, rejects with an error that says how to continue.
 */
export async function awaitEnd<Result, Progress>(
  handle: Awaited<Result, Progress>,
  { context, signal }: Awaiting,
  words: AwaitWords<Progress>,
): Promise<Result> {
  const over = new AbortController();
  if (context.getMode() === 'manual') void showProgress(handle, { context, over: over.signal, words });
  try {
    return await handle.result(signal);
  } catch (error) {
    if (signal?.aborted !== true) return await Promise.reject(error);
    return await Promise.reject(canceled(words.left));
  } finally {
    over.abort();
  }
}

function canceled(hint: string): MediaServiceError {
  return new MediaServiceError('Cancelled', 'The execution was canceled', { hint });
}

interface Showing<Progress> {
  readonly context: IExecuteFunctions;
  readonly over: AbortSignal;
  readonly words: AwaitWords<Progress>;
}

/** Without a worker, the wait continues: a later worker continues the work and answers. */
function waitingText(error: unknown): string {
  if (hasCode(error, 'NoWorker')) return sentenceOf(error);
  throw error;
}

/** Progress is optional. If it can't be read, the wait continues without it. */
async function showProgress<Progress>(
  handle: Awaited<unknown, Progress>,
  { context, over, words }: Showing<Progress>,
): Promise<void> {
  try {
    for (;;) {
      await systemClock.sleep(PROGRESS_EVERY_MS, over);
      const text = await handle.progress().then(words.progress, waitingText);
      if (!over.aborted) context.sendMessageToUI(text);
    }
  } catch (error) {
    if (over.aborted) return;
    context.logger.debug(`Progress of ${handle.workflowId} can't be shown further: ${String(error)}`);
  }
}
