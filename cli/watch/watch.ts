import type { Clock } from '../../api/clock';
import { MediaServiceError } from '../../api/errors';
import { waitReasonOf } from '../../temporal/client/wait-reason';
import type { WaitReason } from '../../temporal/client/wait-reason';
import { STEP_RETRY_MS } from '../../temporal/upload/types';
import { waitReasonLines } from '../errors/what-to-do';
import { plainLine } from '../output/plain-text';
import type { Named, ProgressView, Reading } from './progress-view';

const LOOK_EVERY_MS = 1_000;

/** An upload or a batch that is watched. It continues without it. */
export interface Watched<Result> extends Named {
  /** See `UploadHandle`. */
  readonly joined: boolean;
  readonly look: () => Promise<Reading>;
  readonly result: (signal: AbortSignal) => Promise<Result>;
}

export type WatchEnd<Result> = { readonly result: Result } | { readonly error: unknown };

export interface Watch<Result> {
  readonly view: ProgressView;
  readonly clock: Clock;
  /** Ends the watching. */
  readonly signal: AbortSignal;
  /** Called as soon as one of them ends, well or badly. */
  onEnd(watched: Watched<Result>, end: WatchEnd<Result>): Promise<void>;
}

/** Watches until all have ended. Rejects with the signal's reason when it aborts. A failure of one does not reject. */
export async function watchAll<Result extends object>(
  all: readonly Watched<Result>[],
  watch: Watch<Result>,
): Promise<void> {
  await Promise.all(all.map((watched) => watchOne(watched, watch)));
}

/** Watches one until its end. Resolves with its result, or rejects with its error. */
export async function watchToEnd<Result extends object>(
  watched: Watched<Result>,
  watch: Omit<Watch<Result>, 'onEnd'>,
): Promise<Result> {
  const ends: WatchEnd<Result>[] = [];
  await watchAll([watched], { ...watch, onEnd: (_watched, end) => Promise.resolve(void ends.push(end)) });
  const [end] = ends;
  if (end !== undefined && 'result' in end) return end.result;
  throw end?.error;
}

async function watchOne<Result extends object>(
  watched: Watched<Result>,
  watch: Watch<Result>,
): Promise<void> {
  const ended = new AbortController();
  const say = sayOnce(watched, watch.view);
  const looking = lookOn(watched, { ...watch, say }, AbortSignal.any([ended.signal, watch.signal]));
  // A look that is still running would report progress after the end.
  const end = await watched
    .result(watch.signal)
    .then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    )
    .finally(() => ended.abort());
  try {
    if ('error' in end) watch.signal.throwIfAborted();
    await watch.onEnd(watched, end);
  } finally {
    await looking;
  }
}

/** Says a warning once, although every look contains it. */
function sayOnce({ name }: Named, view: ProgressView): (warning: string | undefined) => void {
  let said: string | undefined;
  return (warning) => {
    if (warning !== undefined && warning !== said) view.say(plainLine(`${name}: ${warning}`));
    said = warning ?? said;
  };
}

interface Looking {
  readonly view: ProgressView;
  readonly clock: Clock;
  readonly say: (warning: string | undefined) => void;
}

/**
 * Looks every second until the signal aborts. If a look fails, or nothing can continue, it reports the reason once it
 * has occurred twice in a row. That is not a failure of what is watched.
 */
async function lookOn(
  { id, name, look }: Watched<unknown>,
  { view, clock, say }: Looking,
  signal: AbortSignal,
): Promise<void> {
  let [said, last] = ['', ''];
  const hasEnded = (): boolean => signal.aborted;
  while (!hasEnded()) {
    let text: string;
    try {
      const reading = await look();
      if (hasEnded()) return;
      view.show(id, reading);
      say(reading.warning);
      text = reasonText(reading.waitReason);
    } catch (error) {
      text = obstacleOf(error);
    }
    // A single look proves little: a worker may have died while another one takes over, and a step may fail for a
    // moment.
    const isSure = text === last;
    if (isSure && text !== '' && reasonOf(text) !== reasonOf(said)) view.say(`${name}: ${text}`);
    if (isSure || text === '') said = text;
    last = text;
    // The loop checks what ended the wait.
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
  }
}

/** Returns a temporary reason why there is no progress. Anything else shows in the result. */
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
