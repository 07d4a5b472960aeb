import type { Clock } from '../../api/clock';
import { MediaServiceError } from '../../api/errors';
import type { BatchHandle } from '../../temporal/client/batch/batch-handle';
import { heldUpOf } from '../../temporal/client/held-up-by';
import type { BatchResult } from '../../temporal/contract/batch';
import type { CliContext } from '../context';
import { detachOrCancel } from '../detach-or-cancel';
import { ReportedFailure } from '../errors/reported-failure';
import { EXIT_CODES } from '../exit-codes';
import type { Terminal } from '../output/terminal';
import { batchEndLines, hasFailedRows } from './batch-end';
import { batchNameOf } from './batch-ids';
import { createBatchView, type BatchView } from './batch-view';

const LOOK_EVERY_MS = 1_000;
/** A worker that lives answers sooner; whether one lives, the server may know only after a while. */
const SILENT_AFTER_MS = 3_000;
const LATE_AFTER_MS = 8_000;
const LATE =
  'No answer for 8 s: Temporal or the workers are away. Still trying; the figures are those of before.';

/**
 * Watches a batch to its end and prints its result. Ctrl-C and SIGTERM detach: the batch goes on; a second Ctrl-C cancels it. Throws
 * `ReportedFailure` with the exit code of failed rows where there are any, and the batch's own error where it failed as a whole.
 */
export async function watchBatch(
  context: CliContext,
  handle: BatchHandle,
  { json }: { readonly json: boolean },
): Promise<void> {
  const { terminal, interrupts, clock } = context;
  const second = interrupts.takeSecond();
  const batch = batchNameOf(handle.workflowId);
  const view = createBatchView(terminal, { batch, json, now: () => clock.now() });
  let result: BatchResult;
  try {
    result = await watched(handle, { view, clock, signal: interrupts.first });
  } catch (error) {
    view.close();
    if (!interrupts.first.aborted) throw error;
    return leaveBatch(context, handle, { json, second });
  }
  view.ended(result.counts);
  view.close();
  await printBatchEnd(terminal, result, { json, handle });
}

/** The result on stdout. Throws `ReportedFailure` where rows failed. */
export async function printBatchEnd(
  terminal: Terminal,
  result: BatchResult,
  { json, handle: { workflowId, joined } }: { readonly json: boolean; readonly handle: BatchHandle },
): Promise<void> {
  if (json) await terminal.json({ phase: 'ended', workflowId, joined, ...result });
  else {
    const how = joined ? 'ended (joined the batch that was started before)' : 'ended';
    await terminal.data(`${batchEndLines(result, how).join('\n')}\n`);
  }
  if (hasFailedRows(result)) throw new ReportedFailure(EXIT_CODES.ROWS_FAILED.code);
}

interface Watching {
  readonly view: BatchView;
  readonly clock: Clock;
  /** Ends the watching; the batch goes on. */
  readonly signal: AbortSignal;
}

async function watched(handle: BatchHandle, { view, clock, signal }: Watching): Promise<BatchResult> {
  const ended = new AbortController();
  const looking = look(handle, { view, clock, signal: AbortSignal.any([ended.signal, signal]) });
  try {
    return await handle.result(signal);
  } finally {
    ended.abort();
    await looking;
  }
}

/**
 * Looks every second until the signal aborts. What keeps it from looking is said, and is no failure of the batch: at once if an answer takes too long, else once it has
 * happened twice in a row. Figures of before stay, marked as old, and it says when answers come again.
 */
async function look(handle: BatchHandle, { view, clock, signal }: Watching): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  let [said, last] = ['', ''];
  let [isStale, hasShown] = [false, false];
  const markStale = (): void => {
    isStale = true;
    view.stale();
  };
  const answered = saySilence({ view, clock, signal });
  while (!isOver()) {
    const late = afterSilence({ clock, signal }, () => {
      if (isStale || !hasShown) return;
      view.say(LATE);
      markStale();
    });
    try {
      const progress = await handle.progress().finally(answered);
      late.abort();
      // Its end was told meanwhile, and is the last word.
      if (isOver()) return;
      await view.show(progress);
      if (isStale) view.say('Temporal and the workers answer again.');
      isStale = false;
      hasShown = true;
      said = last = '';
    } catch (error) {
      late.abort();
      const text = error instanceof MediaServiceError ? error.message : '';
      if (text === last && text !== said && error instanceof MediaServiceError) {
        await sayWhy(error, view);
        markStale();
      }
      if (text === last) said = text;
      last = text;
    }
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
  }
}

/** Calls `then` unless it is aborted before. */
function afterSilence(
  { clock, signal }: Pick<Watching, 'clock' | 'signal'>,
  then: () => void,
): AbortController {
  const answered = new AbortController();
  const over = AbortSignal.any([answered.signal, signal]);
  clock.sleep(LATE_AFTER_MS, over).then(
    () => {
      if (!over.aborted) then();
    },
    () => undefined,
  );
  return answered;
}

/** Says so where the returned function is not called within some seconds. */
function saySilence({ view, clock, signal }: Watching): () => void {
  const answered = new AbortController();
  const over = AbortSignal.any([answered.signal, signal]);
  clock.sleep(SILENT_AFTER_MS, over).then(
    () => {
      if (!over.aborted) view.say('No worker has responded so far. The batch continues as soon as one does.');
    },
    () => undefined,
  );
  return () => answered.abort();
}

/** Says what keeps a batch from going on, for now; anything else shows in its result. */
async function sayWhy(error: MediaServiceError, view: BatchView): Promise<void> {
  if (error.code === 'NoWorker') await view.waiting(heldUpOf(error));
  if (error.code === 'TemporalUnreachable') view.say(`${error.message} Still trying.`);
}

/** After the first signal to stop, see `detachOrCancel`. Throws `ReportedFailure` with the exit code of an interrupt. */
export async function leaveBatch(
  context: Pick<CliContext, 'terminal' | 'clock' | 'interrupts'>,
  handle: BatchHandle,
  { json, second }: { readonly json: boolean; readonly second: AbortSignal },
): Promise<never> {
  const { terminal } = context;
  const { workflowId } = handle;
  const state = await detachOrCancel(context, {
    noun: 'batch',
    seeAgain: [`media-service batch watch ${batchNameOf(workflowId)}`],
    json,
    second,
    cancel: () => handle.cancel(),
  });
  if (json) await terminal.json({ workflowId, state });
  else if (state === 'cancelling')
    terminal.note('Cancelling. What was uploaded stays; its account is written to the end.');
  throw new ReportedFailure(EXIT_CODES.INTERRUPTED.code);
}
