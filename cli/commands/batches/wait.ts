import type { Command } from 'commander';
import { openBatch } from '../../../temporal/batch/client/open-batch';
import type { BatchHandle } from '../../../temporal/batch/client/open-batch';
import type { LiveBatch } from '../../../temporal/batch/client/live-batch';
import { withBatch } from '../../batch/batch-folder';
import type { CliContext } from '../../context';
import { shown } from '../../errors/what-to-do';
import { addHelp } from '../../context';
import { given } from '../../../api/json';
import type { BatchResult } from '../../../temporal/batch/types';
import { batchNameOf } from '../../../temporal/batch/ids';
import { countFacts, countsText, rowsOver, rowsText } from '../../batch/batch-text';
import { EXIT_CODES, ReportedFailure } from '../../exit-codes';
import { detach } from '../../interrupts';
import { formatBytes, formatCount, plainText } from '../../output/plain-text';
import { chooseProgressView, ROWS } from '../../watch/progress-view';
import type { Reading } from '../../watch/progress-view';
import { watch } from '../../watch/watch';
import type { Watched } from '../../watch/watch';

export function addBatchesWait(batches: Command, context: CliContext): void {
  const command = batches
    .command('wait')
    .description('Wait for a batch to end, and show its progress.')
    .argument('<id>', 'as `batches start` and `batches list` show it');
  addHelp(
    command,
    'Shows progress: a bar on a terminal, lines elsewhere, with --json one object per change. At the end it prints the counts and where the results are. Ctrl-C and SIGTERM detach: the batch continues.',
    [
      'media-service batches wait harbour-1a2b3c4d',
      'media-service batches wait harbour-1a2b3c4d --json | tail -1 | jq -r .results.csv',
    ],
  ).action((id: string) =>
    withBatch(context, id, ({ connection, workflowId }) =>
      watchBatch(context, openBatch(connection, workflowId)),
    ),
  );
}

/**
 * Watches a batch until its end and prints its result. Ctrl-C and SIGTERM detach, and the batch continues. Throws
 * `ReportedFailure` with the exit code of failed rows if there are any. Throws the batch's own error if it failed as a
 * whole.
 */
export async function watchBatch(context: CliContext, handle: BatchHandle): Promise<void> {
  const { terminal, interrupts, clock } = context;
  const { workflowId, joined } = handle;
  let printed = '';
  const batch: Watched<BatchResult> = {
    ...{ id: workflowId, name: batchNameOf(workflowId), joined },
    async look() {
      const progress = await handle.progress();
      const json = progressJson(progress);
      const isNew = printed !== JSON.stringify(json);
      printed = JSON.stringify(json);
      if (terminal.isJson && isNew) await terminal.json(json);
      return batchReading(progress);
    },
    result: (signal) => handle.result(signal),
  };
  const view = chooseProgressView(terminal, { now: () => clock.now(), all: [batch] });
  const watching = { view, clock, signal: interrupts.first };
  const result = await watch(batch, watching).catch((error: unknown) => {
    view.close();
    if (!interrupts.first.aborted) throw error;
    return detach(context, { noun: 'batch', running: [batch] });
  });
  view.end(workflowId, 'ended');
  view.close();
  await terminal.answer({ phase: 'ended', workflowId, joined, ...result }, batchEndText(result));
  if (result.counts.failed + result.counts.cancelled > 0) throw new ReportedFailure(EXIT_CODES.FAILED.code);
}

/** What a batch's progress is for a view. */
export function batchReading(progress: LiveBatch): Reading {
  const { phase, counts, pausedBecause, waitReason } = progress;
  return {
    unit: ROWS,
    phase: phase === 'closing' ? 'writing the results' : phase,
    moves: phase === 'uploading',
    done: rowsOver(counts),
    ...{ total: counts.rows, waitReason },
    warning: phase === 'paused' ? pausedBecause : undefined,
    facts:
      counts.rows === 0
        ? []
        : [...countFacts(counts), ...(counts.bytes === 0 ? [] : [formatBytes(counts.bytes)])],
  };
}

/** What `--json` prints when it changes. */
function progressJson({ pausedBecause, waitReason, ...progress }: LiveBatch): object {
  const { batchId, phase, round, counts, pages, pagesDone } = progress;
  const reasons = given({ pausedBecause, waitReason: shown(waitReason) });
  return { batchId, phase, round, counts, pages, pagesDone, ...reasons };
}

/** How a batch ended, for people: counts, the location of its results, and what helps if rows failed. */
function batchEndText({ batchId, counts, results }: BatchResult): string {
  const lines = [
    `${batchId}: ended, ${rowsText(counts.rows)}: ${countsText(counts)}, ${formatBytes(counts.bytes)}`,
    `  Results: ${results.csv} and ${results.jsonl}`,
  ];
  const open = counts.failed + counts.cancelled;
  if (results.failed !== undefined) lines.push(`  Failed rows as a manifest: ${results.failed}`);
  if (open > 0)
    lines.push(
      `  See why: media-service batches show ${batchId}`,
      `  Upload ${open === 1 ? 'it' : `the ${formatCount(open)}`} once more: media-service batches retry ${batchId}`,
    );
  return lines.map((line) => `${plainText(line)}\n`).join('');
}
