import { mapInOrder } from '../../api/map-in-order';
import type { FileLocation } from '../../files/file-location';
import type { FileAccess } from '../../files/files';
import type { ResultLine } from '../contract/batch';
import { readJournal, type JournalSelection, type JournalSession } from './page-journal';
import { readPlannedRows, type PlannedRow } from './planned-row';

/** Pages read ahead: they are small files, often far away. */
const PAGES_AT_ONCE = 4;

/** A row of a page, and what its page journal says of it. */
export interface PageRow {
  readonly page: number;
  readonly planned: PlannedRow;
  /** Its result, with its line in the newest manifest. Unset: it has not ended, or that is not written yet. */
  readonly result?: ResultLine;
  /** Its newest session, unless it is completed. */
  readonly session?: JournalSession;
}

/** The rows of a page in their order. Rejects as `readLines`. */
export async function readPage(
  access: FileAccess,
  selection: JournalSelection,
  signal?: AbortSignal,
): Promise<PageRow[]> {
  const [planned, { lines, sessions }] = await Promise.all([
    readPlannedRows(access, selection, signal),
    readJournal(access, selection, signal),
  ]);
  return planned.map((one): PageRow => {
    const { id, line } = one.row;
    const [result, session] = [lines.get(id), sessions.get(id)];
    return {
      page: selection.page,
      planned: one,
      ...(result === undefined ? {} : { result: { ...result, line } }),
      ...(session === undefined ? {} : { session }),
    };
  });
}

/** Yields the rows of all these pages, in their order. Memory: a few pages. */
export async function* rowsOfPages(
  access: FileAccess,
  { folder, pages }: { readonly folder: FileLocation; readonly pages: Iterable<number> },
  signal?: AbortSignal,
): AsyncGenerator<PageRow, void, undefined> {
  const read = mapInOrder(pages, PAGES_AT_ONCE, async (page) => {
    signal?.throwIfAborted();
    return readPage(access, { folder, page }, signal);
  });
  for await (const rows of read) yield* rows;
}
