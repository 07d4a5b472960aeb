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

interface Watch {
  readonly view: ProgressView;
  readonly clock: Clock;
  /** Ends the watching. */
  readonly signal: AbortSignal;
}

/**
 * Watches one until its end. Resolves with its result, or rejects with its error, or with the signal's reason when it
 * aborts.
 */
export async function watch<Result>(
  watched: Watched<Result>,
  { view, clock, signal }: Watch,
): Promise<Result> {
  const ended = new AbortController();
  // It never rejects, and shows nothing after the end.
  void lookOn(watched, { view, clock, signal: AbortSignal.any([ended.signal, signal]) });
  try {
    return await watched.result(signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    ended.abort();
  }
}

/**
 * Looks every second until the signal aborts. If a look fails, or nothing can continue, it reports the reason once it
 * has occurred twice in a row. That is not a failure of what is watched.
 */
async function lookOn({ id, name, look }: Watched<unknown>, { view, clock, signal }: Watch): Promise<void> {
  let [said, last, warned] = ['', '', ''];
  const hasEnded = (): boolean => signal.aborted;
  while (!hasEnded()) {
    const found = await look().catch((error: unknown) => obstacleOf(error));
    if (hasEnded()) return;
    let text = '';
    if (typeof found === 'string') text = found;
    else {
      view.show(id, found);
      const { warning = warned } = found;
      if (warning !== warned) view.say(plainLine(`${name}: ${warning}`));
      warned = warning;
      text = reasonText(found.waitReason);
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
