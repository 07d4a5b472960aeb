import type { Command } from 'commander';
import { openBatch } from '../../../temporal/batch/client/open-batch';
import type { BatchHandle } from '../../../temporal/batch/client/open-batch';
import { withBatch } from '../../batch/batch-folder';
import type { CliContext } from '../../context';
import { addHelp } from '../../command-help';
import type { Clock } from '../../../api/clock';
import { MediaServiceError } from '../../../api/errors';
import { waitReasonOf } from '../../../temporal/client/wait-reason';
import type { BatchResult } from '../../../temporal/batch/types';
import { detach } from '../../interrupts';
import { EXIT_CODES, ReportedFailure } from '../../exit-codes';
import { createBatchView } from '../../batch/batch-view';
import type { BatchView } from '../../batch/batch-view';
import { batchNameOf } from '../../../temporal/batch/ids';
import { formatBytes, formatCount, plainLine } from '../../output/plain-text';
import { countsText, rowsText } from '../../batch/batch-text';

export function addBatchesWait(batches: Command, context: CliContext): void {
  const command = batches
    .command('wait')
    .description('Wait for a batch to end, and show its progress.')
    .argument('<id>', 'as `batches start` and `batches list` show it');
  addHelp(
    command,
    'Shows progress: a bar on a terminal, lines elsewhere, with --json one object per change. At the end it prints the counts and where the results are. Ctrl-C and SIGTERM detach: the batch continues.',
    [
      ['Wait again after Ctrl-C', 'media-service batches wait harbour-1a2b3c4d'],
      [
        'Location of its results, once it has ended',
        'media-service batches wait harbour-1a2b3c4d --json | tail -1 | jq -r .results.csv',
      ],
    ],
  ).action((id: string, flags: { readonly json?: boolean }) =>
    withBatch(context, id, ({ connection, workflowId }) =>
      watchBatch(context, openBatch(connection, workflowId), { json: flags.json === true }),
    ),
  );
}

const LOOK_EVERY_MS = 1_000;
/** A running worker answers sooner. The server may take a while to know whether one runs. */
const SILENT_AFTER_MS = 3_000;
const LATE_AFTER_MS = 8_000;
const LATE =
  'No worker has answered for 8 s, as while workers restart. Still trying; the figures may be out of date.';

/**
 * Watches a batch until its end and prints its result. Ctrl-C and SIGTERM detach, and the batch continues. Throws `ReportedFailure` with the exit code of failed rows if there are any. Throws the batch's
 * own error if it failed as a whole.
 */
export async function watchBatch(
  context: CliContext,
  handle: BatchHandle,
  { json }: { readonly json: boolean },
): Promise<void> {
  const { terminal, interrupts, clock } = context;
  const batch = batchNameOf(handle.workflowId);
  const view = createBatchView(terminal, { batch, json, now: () => clock.now() });
  let result: BatchResult;
  try {
    result = await watched(handle, { view, clock, signal: interrupts.first });
  } catch (error) {
    view.close();
    if (!interrupts.first.aborted) throw error;
    return leaveBatch(context, handle, { json });
  }
  view.ended(result.counts);
  view.close();
  const { workflowId, joined } = handle;
  if (json) await terminal.json({ phase: 'ended', workflowId, joined, ...result });
  else await terminal.data(`${batchEndLines(result).join('\n')}\n`);
  const { failed, cancelled } = result.counts;
  if (failed + cancelled > 0) throw new ReportedFailure(EXIT_CODES.FAILED.code);
}

interface Watching {
  readonly view: BatchView;
  readonly clock: Clock;
  /** Ends the watching; the batch continues. */
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
 * Looks every second until the signal aborts. A failure to look is reported, but is not a failure of the batch. It is
 * reported at once if an answer takes too long, otherwise after it happened twice in a row. Old figures stay and are
 * marked as old. It also reports when answers return.
 */
async function look(handle: BatchHandle, { view, clock, signal }: Watching): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  let [said, last] = ['', ''];
  let [isStale, hasShown] = [false, false];
  const markStale = (): void => {
    isStale = true;
    view.stale();
  };
  const silent = after(SILENT_AFTER_MS, { clock, signal }, () =>
    view.say('No worker has responded so far. The batch continues as soon as one does.'),
  );
  while (!isOver()) {
    const late = after(LATE_AFTER_MS, { clock, signal }, () => {
      if (isStale || !hasShown) return;
      view.say(LATE);
      markStale();
    });
    try {
      const progress = await handle.progress().finally(() => silent.abort());
      late.abort();
      // The end was reported meanwhile, and must be the last line.
      if (isOver()) return;
      if (isStale) view.answersAgain();
      isStale = false;
      await view.show(progress);
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
    // The loop checks what ended the wait.
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
  }
}

/** Calls `then` after this time, unless the returned controller or the signal aborts before. */
function after(
  ms: number,
  { clock, signal }: Pick<Watching, 'clock' | 'signal'>,
  then: () => void,
): AbortController {
  const answered = new AbortController();
  const over = AbortSignal.any([answered.signal, signal]);
  clock.sleep(ms, over).then(
    () => {
      if (!over.aborted) then();
    },
    () => undefined,
  );
  return answered;
}

/** Shows a temporary reason why a batch does not continue. Anything else shows in its result. */
async function sayWhy(error: MediaServiceError, view: BatchView): Promise<void> {
  if (error.code === 'NoWorker') await view.waiting(waitReasonOf(error));
  if (error.code === 'TemporalUnreachable') view.say(`${error.message} Still trying.`);
}

/** Called after the first signal to stop, see `detach`. */
export async function leaveBatch(
  context: Pick<CliContext, 'terminal' | 'interrupts'>,
  { workflowId }: Pick<BatchHandle, 'workflowId'>,
  { json }: { readonly json: boolean },
): Promise<never> {
  if (json) await context.terminal.json({ workflowId, state: 'detached' });
  const commands = { wait: 'media-service batches wait', cancel: 'media-service batches cancel' };
  return detach(context, { noun: 'batch', ids: [batchNameOf(workflowId)], ...commands, json });
}

/** How a batch ended, for people: counts, the location of its results, and what helps if rows failed. */
function batchEndLines({ batchId, counts, results }: BatchResult): string[] {
  const lines = [
    `${batchId}: ended, ${rowsText(counts.rows)}: ${countsText(counts)}, ${formatBytes(counts.bytes)}`,
    `  Results: ${results.csv} and ${results.jsonl}`,
  ];
  const open = counts.failed + counts.cancelled;
  if (open === 0) return lines.map(plainIndented);
  return [
    ...lines,
    ...(results.failed === undefined ? [] : [`  Failed rows as a manifest: ${results.failed}`]),
    `  See why: media-service batches show ${batchId}`,
    `  Upload ${open === 1 ? 'it' : `the ${formatCount(open)}`} once more: media-service batches retry ${batchId}`,
  ].map(plainIndented);
}

function plainIndented(line: string): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  return indent + plainLine(line);
}
