import { inOrder } from '../../manifest/check/in-order';
import { MediaServiceError } from '../../api/errors';
import { placeText } from '../../places/place-text';
import type { Place } from '../../places/place';
import type { PlaceAccess } from '../../places/place-access';
import { readJournal } from '../../temporal/activities/batch/journal/page-journal';
import { readPlannedRows, type PlannedRow } from '../../temporal/activities/batch/journal/planned-row';
import { readPlan } from '../../temporal/activities/batch/journal/stored-plan';
import type { AccountLine } from '../../temporal/contract/batch';

/** Pages read ahead: small files, often far away. */
const PAGES_AT_ONCE = 4;

export interface BatchFolder {
  readonly access: PlaceAccess;
  readonly folder: Place;
  readonly batchId: string;
}

/** A row of the manifest and what became of it; unset: it has not ended, or its page has not told yet. */
export interface AccountedRow {
  readonly planned: PlannedRow;
  readonly line?: AccountLine;
}

/**
 * Every row of a batch in the order of its account with what its page journal holds now: while the batch runs and without any worker. Yields
 * nothing before the plan stands. Memory: a few pages.
 */
export async function* accountSoFar(
  { access, folder, batchId }: BatchFolder,
  signal?: AbortSignal,
): AsyncGenerator<AccountedRow, void, undefined> {
  const plan = await readPlan(access, folder, batchId);
  const pages = inOrder(pageNumbers(plan?.pages.length ?? 0), PAGES_AT_ONCE, async (page) => {
    signal?.throwIfAborted();
    const [journal, rows] = await Promise.all([
      readJournal(access, { folder, page }, signal),
      readPlannedRows(access, { folder, page }, signal),
    ]);
    return rows.map((planned): AccountedRow => {
      const line = journal.lines.get(planned.row.id);
      // The row can stand elsewhere in the manifest by now.
      return line === undefined ? { planned } : { planned, line: { ...line, line: planned.row.line } };
    });
  });
  for await (const rows of pages) yield* rows;
}

/** Rejects with `SourceMissing` where no batch was planned in the folder, or what it wrote is gone. */
export async function requirePlan({ access, folder, batchId }: BatchFolder): Promise<void> {
  if ((await readPlan(access, folder, batchId)) !== undefined) return;
  throw new MediaServiceError(
    'SourceMissing',
    `${placeText(folder)} holds no plan of the batch ${batchId}.`,
    {
      outcome: 'unsent',
      hint: 'A batch whose manifest is still read has none yet: `media-service batch show` tells. Else the folder is gone, or not mounted here; --to names another one.',
    },
  );
}

async function* pageNumbers(pages: number): AsyncGenerator<number, void, undefined> {
  for (let page = 0; page < pages; page += 1) yield page;
}
