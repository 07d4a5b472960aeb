import { mapInOrder } from '../../api/map-in-order';
import { MediaServiceError } from '../../api/errors';
import { locationText } from '../../files/location-text';
import type { FileLocation } from '../../files/file-location';
import type { FileAccess } from '../../files/files';
import { readJournal } from '../../temporal/batch/page-journal';
import { readPlannedRows, type PlannedRow } from '../../temporal/batch/planned-row';
import { readPlan } from '../../temporal/batch/stored-plan';
import type { ResultLine, BatchCounts } from '../../temporal/contract/batch';
import { isToUpload, NO_ROWS, withEnded, withWaiting } from '../../temporal/contract/batch-counts';

/** Pages read ahead: they are small files, often far away. */
const PAGES_AT_ONCE = 4;

export interface BatchFolder {
  readonly access: FileAccess;
  readonly folder: FileLocation;
  readonly batchId: string;
}

/** A row of the manifest and its result. Unset: it has not ended, or its page has not reported it yet. */
export interface PlannedResult {
  readonly planned: PlannedRow;
  readonly line?: ResultLine;
}

/**
 * Yields every row of a batch in the order of its results, with its current entry in the page journal. It works while
 * the batch runs and without any worker. Yields nothing before the plan is complete. Memory: a few pages.
 */
export async function* resultsSoFar(
  { access, folder, batchId }: BatchFolder,
  signal?: AbortSignal,
): AsyncGenerator<PlannedResult, void, undefined> {
  const plan = await readPlan(access, folder, batchId);
  const pages = mapInOrder(pageNumbers(plan?.pages.length ?? 0), PAGES_AT_ONCE, async (page) => {
    signal?.throwIfAborted();
    const [journal, rows] = await Promise.all([
      readJournal(access, { folder, page }, signal),
      readPlannedRows(access, { folder, page }, signal),
    ]);
    return rows.map((planned): PlannedResult => {
      const line = journal.lines.get(planned.row.id);
      // The row may be on another line of the manifest by now.
      return line === undefined ? { planned } : { planned, line: { ...line, line: planned.row.line } };
    });
  });
  for await (const rows of pages) yield* rows;
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

async function* pageNumbers(pages: number): AsyncGenerator<number, void, undefined> {
  for (let page = 0; page < pages; page += 1) yield page;
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
  for await (const { line } of resultsSoFar(batch, signal)) {
    counts = { ...counts, rows: counts.rows + 1 };
    if (line === undefined) continue;
    const isOpen = line.round < plan.round && isToUpload(line, { retryFailed, round: plan.round });
    if (!isOpen) counts = withEnded(counts, line, plan.round);
  }
  return withWaiting(counts);
}
