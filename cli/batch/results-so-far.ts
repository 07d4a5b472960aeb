import { MediaServiceError } from '../../api/errors';
import { locationText } from '../../files/file-location';
import type { FileLocation } from '../../files/file-location';
import type { FileAccess } from '../../files/files';
import { rowsOfPages } from '../../temporal/batch/files/result-line';
import type { PageRow } from '../../temporal/batch/files/result-line';
import { readPlan } from '../../temporal/batch/files/stored-plan';
import type { BatchCounts } from '../../temporal/batch/types';
import { isToUpload, NO_ROWS, withEnded, withWaiting } from '../../temporal/batch/counts';

export interface BatchFolder {
  readonly access: FileAccess;
  readonly folder: FileLocation;
  readonly batchId: string;
}

/**
 * Yields every row of a batch in the order of its results, with its current entry in the page journal. It works while
 * the batch runs and without any worker. Yields nothing before the plan is complete. Memory: a few pages.
 */
export async function* resultsSoFar(
  { access, folder, batchId }: BatchFolder,
  signal?: AbortSignal,
): AsyncGenerator<PageRow, void, undefined> {
  const plan = await readPlan(access, folder, batchId);
  if (plan !== undefined) yield* rowsOfPages(access, { folder, pages: plan.pages.keys() }, signal);
}

/** Rejects with `SourceMissing` if the folder contains no plan of the batch, or its files are gone. */
export async function requirePlan({ access, folder, batchId }: BatchFolder): Promise<void> {
  if ((await readPlan(access, folder, batchId)) !== undefined) return;
  throw new MediaServiceError(
    'SourceMissing',
    `${locationText(folder)} has no plan of the batch ${batchId}.`,
    {
      outcome: 'unsent',
      hint: 'If a worker is still reading the manifest, wait: `media-service batch show` shows it. Otherwise the folder was removed or is not mounted here: give its present location with --to.',
    },
  );
}

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
  for await (const { result } of resultsSoFar(batch, signal)) {
    counts = { ...counts, rows: counts.rows + 1 };
    if (result === undefined) continue;
    const isOpen = result.round < plan.round && isToUpload(result, { retryFailed, round: plan.round });
    if (!isOpen) counts = withEnded(counts, result, plan.round);
  }
  return withWaiting(counts);
}
