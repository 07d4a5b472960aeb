import { counted, formatCount, plainLine } from '../output/plain-text';
import type { WaitReason } from '../../temporal/client/wait-reason';
import type { BatchCounts } from '../../temporal/batch/types';

export function rowsText(rows: number): string {
  return counted(rows, 'row');
}

/** `uploading (waiting: No worker serves the task queue …)`: what a batch is doing, and why it paused or waits. */
export function withReasonsText(
  word: string,
  {
    pausedBecause,
    waitReason,
  }: { readonly pausedBecause?: string | undefined; readonly waitReason?: WaitReason | undefined },
): string {
  const waits =
    waitReason && `${waitReason.code === 'NoWorker' ? 'waiting' : 'retrying'}: ${waitReason.message}`;
  const reasons = [pausedBecause, waits].flatMap((reason) =>
    reason === undefined ? [] : [plainLine(reason).replace(/\.$/, '')],
  );
  return reasons.length === 0 ? word : `${word} (${reasons.join('; ')})`;
}

/** `8,123 completed (20 earlier)`, `12 failed`, `64 running`, … Zeros are left out, except for completed. */
export function countFacts({ completed, earlier, ...others }: BatchCounts): string[] {
  const first = `${formatCount(completed)} completed${earlier === 0 ? '' : ` (${formatCount(earlier)} earlier)`}`;
  const rest = (['failed', 'cancelled', 'running', 'waiting'] as const).filter((word) => others[word] > 0);
  return [first, ...rest.map((word) => `${formatCount(others[word])} ${word}`)];
}

export function countsText(counts: BatchCounts): string {
  return countFacts(counts).join(', ');
}

/** `41%` of the rows have ended; `100%` only if none is left. */
export function percentText(counts: BatchCounts): string {
  return `${counts.rows === 0 ? 0 : Math.floor((100 * rowsOver(counts)) / counts.rows)}%`;
}

/** Rows that have ended, in this run or earlier ones. */
export function rowsOver({ completed, failed, cancelled }: BatchCounts): number {
  return completed + failed + cancelled;
}
