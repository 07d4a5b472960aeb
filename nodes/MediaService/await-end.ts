import type { IExecuteFunctions } from 'n8n-workflow';
import { MediaServiceError } from '../../api/errors';
import { systemClock } from '../../api/system-clock';
import { describeError, sentenceOf } from './error-words';

const PROGRESS_EVERY_MS = 5_000;

export interface Awaiting {
  readonly context: IExecuteFunctions;
  /** Aborts when the execution is cancelled. */
  readonly signal: AbortSignal | undefined;
  /** Cancel what is waited for when the execution is cancelled. */
  readonly cancelWithExecution: boolean;
}

/** Something that runs in Temporal: an upload, a batch. */
export interface Awaited<Result, Progress> {
  readonly workflowId: string;
  result(signal?: AbortSignal): Promise<Result>;
  cancel(): Promise<void>;
  progress(): Promise<Progress>;
}

export interface AwaitWords<Progress> {
  /** Of the editor's console. */
  readonly progress: (progress: Progress) => string;
  /** What became of it when the execution was cancelled. */
  readonly left: (cancelled: boolean) => string;
}

/**
 * Waits for the end by one long poll; in a manual execution the editor's console shows the progress. A cancelled execution rejects with
 * what became of what was waited for.
 */
export async function awaitEnd<Result, Progress>(
  handle: Awaited<Result, Progress>,
  { context, signal, cancelWithExecution }: Awaiting,
  words: AwaitWords<Progress>,
): Promise<Result> {
  const over = new AbortController();
  if (context.getMode() === 'manual') void showProgress(handle, { context, over: over.signal, words });
  try {
    return await handle.result(signal);
  } catch (error) {
    if (signal?.aborted !== true) return await Promise.reject(error);
    if (cancelWithExecution) await handle.cancel();
    return await Promise.reject(canceled(words.left(cancelWithExecution)));
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

/** A worker that comes later goes on with it, and answers from then on. */
function waitingText(error: unknown): string {
  if (error instanceof MediaServiceError && error.code === 'NoWorker')
    return sentenceOf(describeError(error));
  throw error;
}

/** Progress is a courtesy: where it cannot be read, the wait goes on without. */
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
    context.logger.debug(`Progress of ${handle.workflowId} ended: ${String(over.aborted || error)}`);
  }
}
