import type { Clock } from '../../api/clock';
import { MediaServiceError } from '../../api/errors';
import type { UploadResult } from '../../api/upload/request/upload-request';
import type { LiveProgress, UploadHandle } from '../../temporal/upload/client/open-upload';
import { waitReasonOf } from '../../temporal/client/wait-reason';
import type { WaitReason } from '../../temporal/client/wait-reason';
import { STEP_RETRY_MS } from '../../temporal/upload/types';
import { waitReasonLines } from '../text/wait-text';
import { plainLine } from '../output/plain-text';
import type { ProgressView } from '../progress/progress-view';

const LOOK_EVERY_MS = 1_000;

export interface WatchedUpload {
  /** As the user knows it. */
  readonly file: string;
  readonly handle: UploadHandle;
  /** Size of its file, if known here. */
  readonly bytes?: number;
}

export type UploadEnd =
  | { readonly upload: WatchedUpload; readonly result: UploadResult }
  | { readonly upload: WatchedUpload; readonly error: unknown };

export interface Watch {
  readonly view: ProgressView;
  readonly clock: Clock;
  /** Ends the watching; the uploads continue. */
  readonly signal: AbortSignal;
  /** Called as soon as one upload ends, well or badly. */
  onEnd(end: UploadEnd): Promise<void>;
}

/**
 * Watches uploads until all have ended. Rejects with the signal's reason when it aborts. A failed upload does not
 * reject.
 */
export async function watchUploads(uploads: readonly WatchedUpload[], watch: Watch): Promise<void> {
  await Promise.all(uploads.map((upload) => watchOne(upload, watch)));
}

async function watchOne(upload: WatchedUpload, watch: Watch): Promise<void> {
  const ended = new AbortController();
  const warn = warner(upload, watch.view);
  const looking = showProgress(upload, { ...watch, warn }, AbortSignal.any([ended.signal, watch.signal]));
  try {
    // A look that is still running would report progress after the end.
    const result = await upload.handle.result(watch.signal).finally(() => ended.abort());
    warn(result);
    await watch.onEnd({ upload, result });
  } catch (error) {
    watch.signal.throwIfAborted();
    await watch.onEnd({ upload, error });
  } finally {
    ended.abort();
    await looking;
  }
}

/** Shows a warning once, although every look and the result contain it. */
function warner({ file }: WatchedUpload, view: ProgressView): (about: { warning?: string }) => void {
  let said: string | undefined;
  return ({ warning }) => {
    if (warning !== undefined && warning !== said) view.say(plainLine(`${file}: ${warning}`));
    said = warning ?? said;
  };
}

/**
 * Looks every second until the signal aborts. If a look fails, or the upload can't continue, it reports the reason once
 * it has occurred twice in a row. That is not a failure of the upload.
 */
async function showProgress(
  { file, handle }: WatchedUpload,
  watch: Watch & { readonly warn: (progress: LiveProgress) => void },
  signal: AbortSignal,
): Promise<void> {
  let said = '';
  let last = '';
  const hasEnded = (): boolean => signal.aborted;
  while (!hasEnded()) {
    let text: string;
    try {
      const progress = await handle.progress();
      if (hasEnded()) return;
      watch.view.show(file, progress);
      watch.warn(progress);
      text = reasonText(progress.waitReason);
    } catch (error) {
      text = obstacleOf(error);
    }
    // A single look proves little: a worker may have died while another one takes over, and a step may fail for a
    // moment.
    const isSure = text === last;
    if (isSure && text !== '' && reasonOf(text) !== reasonOf(said)) watch.view.say(`${file}: ${text}`);
    if (isSure || text === '') said = text;
    last = text;
    // The loop checks what ended the wait.
    await watch.clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
  }
}

/** Returns a temporary reason why an upload does not continue. Anything else shows in its result. */
function obstacleOf(error: unknown): string {
  if (!(error instanceof MediaServiceError)) return '';
  if (error.code === 'NoWorker') return reasonText(waitReasonOf(error));
  return error.code === 'TemporalUnreachable' ? `${error.message} Still trying.` : '';
}

function reasonText(waitReason: WaitReason | undefined): string {
  const [why = '', ...rest] = waitReasonLines(waitReason, STEP_RETRY_MS).map(plainLine);
  return rest.length === 0 ? why : [why.replace(/(?<![.!?])$/, '.'), ...rest].join(' ');
}

/** `start` waits because it failed, and then because its host does not answer either. Both count as one reason. */
function reasonOf(text: string): string {
  return text.replace(/\bupload (start|host): /, '').replace(/; it is tried again in \d+ s(?=\.)/, '');
}
