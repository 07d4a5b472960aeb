import type { Clock } from '../../api/clock';
import { MediaServiceError } from '../../api/errors';
import type { UploadResult } from '../../api/upload/request/upload-request';
import type { LiveProgress, UploadHandle } from '../../temporal/client/upload-handle';
import { heldUpOf, type HeldUp } from '../../temporal/client/held-up-by';
import { STEP_RETRY_MS } from '../../temporal/contract';
import { heldUpLines } from '../output/held-up-lines';
import { plainLine } from '../output/plain-text';
import type { ProgressView } from '../progress/progress-view';

const LOOK_EVERY_MS = 1_000;

export interface WatchedUpload {
  /** As the user knows it. */
  readonly file: string;
  readonly handle: UploadHandle;
  /** Of its file, if that is known here. */
  readonly bytes?: number;
}

export type UploadEnd =
  | { readonly upload: WatchedUpload; readonly result: UploadResult }
  | { readonly upload: WatchedUpload; readonly error: unknown };

export interface Watch {
  readonly view: ProgressView;
  readonly clock: Clock;
  /** Ends the watching; the uploads go on. */
  readonly signal: AbortSignal;
  /** Called as soon as one upload ends, well or badly. */
  onEnd(end: UploadEnd): Promise<void>;
}

/** Watches uploads until all have ended. Rejects with the signal's reason when it aborts; an upload that fails rejects nothing. */
export async function watchUploads(uploads: readonly WatchedUpload[], watch: Watch): Promise<void> {
  await Promise.all(uploads.map((upload) => watchOne(upload, watch)));
}

async function watchOne(upload: WatchedUpload, watch: Watch): Promise<void> {
  const ended = new AbortController();
  const warn = warner(upload, watch.view);
  const looking = showProgress(upload, { ...watch, warn }, AbortSignal.any([ended.signal, watch.signal]));
  try {
    // A look that is under way would tell of progress behind the end.
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

/** Says a warning once: it stands in every look, and in the result. */
function warner({ file }: WatchedUpload, view: ProgressView): (about: { warning?: string }) => void {
  let said: string | undefined;
  return ({ warning }) => {
    if (warning !== undefined && warning !== said) view.say(plainLine(`${file}: ${warning}`));
    said = warning ?? said;
  };
}

/** Looks every second until the signal aborts. What keeps it from looking, or the upload from going on, is said once it has done so twice in a row, and is no failure of the upload. */
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
      text = reasonText(progress.heldUpBy);
    } catch (error) {
      text = obstacleOf(error);
    }
    // A look can fail on a worker that has died while another one already takes over, and a step on what is over at once.
    if (text === last && text !== said && text !== '') watch.view.say(`${file}: ${text}`);
    if (text === last || text === '') said = text;
    last = text;
    await watch.clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
  }
}

/** What keeps an upload from going on, for now; anything else shows in its result. */
function obstacleOf(error: unknown): string {
  if (!(error instanceof MediaServiceError)) return '';
  if (error.code === 'NoWorker') return reasonText(heldUpOf(error));
  return error.code === 'TemporalUnreachable' ? `${error.message} Still trying.` : '';
}

function reasonText(heldUp: HeldUp | undefined): string {
  return heldUpLines(heldUp, STEP_RETRY_MS).map(plainLine).join(' ');
}
