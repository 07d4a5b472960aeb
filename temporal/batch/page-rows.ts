import { mapInOrder } from '../../api/map-in-order';
import type { FileLocation } from '../../files/file-location';
import type { FileAccess } from '../../files/files';
import { readJournal, type JournalRow } from './page-journal';
import { readPlannedRows, type PlannedRow } from './planned-row';

/** Pages read ahead: they are small files, often far away. */
const PAGES_AT_ONCE = 4;

/** A row of a page, and what its page journal says of it. A result has its line in the newest manifest. */
export interface PageRow extends JournalRow {
  readonly page: number;
  readonly planned: PlannedRow;
}

/** The name of the row's upload within its batch. A file that has changed is another upload. */
export function uploadNameOf({ planned, changed }: Pick<PageRow, 'planned' | 'changed'>): string {
  const { id } = planned.row;
  return changed === undefined ? id : `${id}~${changed.as}`;
}

/** The rows of a page in their order. Rejects as `readLines`. */
export async function readPage(
  access: FileAccess,
  at: { readonly folder: FileLocation; readonly page: number },
  signal?: AbortSignal,
): Promise<PageRow[]> {
  const [planned, journal] = await Promise.all([
    readPlannedRows(access, at, signal),
    readJournal(access, at, signal),
  ]);
  return planned.map((one): PageRow => {
    const { id, line } = one.row;
    const { result, ...known } = journal.get(id) ?? { lost: 0, sessions: [], left: [] };
    return {
      page: at.page,
      planned: one,
      ...known,
      ...(result === undefined ? {} : { result: { ...result, line } }),
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
