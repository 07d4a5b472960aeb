import { readPlan } from '../../temporal/batch/stored-plan';
import type { BatchCounts } from '../../temporal/contract/batch';
import { isToUpload, NO_ROWS, withEnded, withWaiting } from '../../temporal/contract/batch-counts';
import { resultsSoFar, type BatchFolder } from './results-so-far';

/**
 * Counts the rows of a batch only from its folder. Undefined before its plan is complete. Rows that run, or ended
 * recently, count as waiting, and so do rows of earlier rounds that this one uploads again.
 */
export async function countsSoFar(
  batch: BatchFolder,
  {
    retryFailed = false,
    signal,
  }: { readonly retryFailed?: boolean | undefined; readonly signal?: AbortSignal } = {},
): Promise<BatchCounts | undefined> {
  const plan = await readPlan(batch.access, batch.folder, batch.batchId);
  if (plan === undefined) return undefined;
  let counts = NO_ROWS;
  for await (const { line } of resultsSoFar(batch, signal)) {
    counts = { ...counts, rows: counts.rows + 1 };
    if (line === undefined) continue;
    const isOpen = line.round < plan.round && isToUpload(line, { retryFailed, round: plan.round });
    if (!isOpen) counts = withEnded(counts, line, plan.round);
  }
  return withWaiting(counts);
}
