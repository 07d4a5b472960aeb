import { MediaServiceError } from '../../../api/errors';
import { Mistakes } from '../../../manifest/mistakes';
import { isMistake } from '../../../manifest/row';
import { OldPages } from './old-pages';
import type { PlanInput } from './old-pages';
import { pageDigest } from './planned-row';
import type { PlannedRow } from './planned-row';
import type { StoredPage } from './stored-plan';

/** A worker reads a whole page. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;
/** The root's history holds about ten events for each page, and Temporal ends a workflow at 51,200 events. */
export const MAX_PAGES = 4_000;
const MAX_PAGE_ROWS = 1_000;
const MIN_PAGE_ROWS = 50;
/** A batch has this number of pages or more, if they are not too small, so that every worker gets some. */
const MIN_PAGES = 10;

/**
 * Cuts a manifest into pages, in its order. Pages of earlier starts keep the same rows, see `OldPages`. New rows become
 * new pages after them. Rejects with `Validation` if a row is wrong or there are none; the error names the first
 * mistakes by line. Rejects as `OldPages.requireAll`.
 */
export async function planPages(input: PlanInput): Promise<StoredPage[]> {
  const old = new OldPages(input);
  const pages = [...input.old, ...(await writeNewPages(input, addedRows(input, old)))];
  await old.requireAll();
  if (pages.length > 0) return pages;
  throw new MediaServiceError('Validation', 'The manifest holds no rows.', { field: 'manifest' });
}

async function* addedRows(input: PlanInput, old: OldPages): AsyncGenerator<PlannedRow, void, undefined> {
  for await (const row of plannedRows(input)) if (!(await old.takes(row))) yield row;
}

/** Yields rows up to the first mistake, and reports all mistakes at the end. */
async function* plannedRows({ rows, planned }: PlanInput): AsyncGenerator<PlannedRow, void, undefined> {
  const mistakes = new Mistakes();
  for await (const item of rows) {
    if (isMistake(item)) mistakes.add(item);
    else if (mistakes.count === 0) yield planned(item);
  }
  mistakes.refuse();
}

async function writeNewPages(
  { old, round, pageRows, write }: PlanInput,
  rows: AsyncIterable<PlannedRow>,
): Promise<StoredPage[]> {
  const pages: StoredPage[] = [];
  let page: PlannedRow[] = [];
  let bytes = 0;
  const finish = async (): Promise<void> => {
    if (old.length + pages.length >= MAX_PAGES) throw tooManyPages();
    await write(old.length + pages.length, page);
    pages.push({ rows: page.length, digest: pageDigest(page), round });
    page = [];
    bytes = 0;
  };
  for await (const { row, size, maxRows } of sized(rows, pageRows)) {
    const isFull = page.length >= maxRows || bytes + size > MAX_PAGE_BYTES;
    if (page.length > 0 && isFull) await finish();
    page.push(row);
    bytes += size;
  }
  if (page.length > 0) await finish();
  return pages;
}

interface SizedRow {
  readonly row: PlannedRow;
  readonly size: number;
  /** Rows of a page. */
  readonly maxRows: number;
}

/** Reads ahead, as far as the size of pages depends on the number of rows. */
async function* sized(rows: AsyncIterable<PlannedRow>, pageRows?: number): AsyncGenerator<SizedRow> {
  const ahead = pageRows === undefined ? MAX_PAGE_ROWS * MIN_PAGES : 0;
  let first: Omit<SizedRow, 'maxRows'>[] = [];
  let bytes = 0;
  let isLarge = ahead === 0;
  for await (const row of rows) {
    const size = Buffer.byteLength(JSON.stringify(row));
    if (!isLarge) {
      first.push({ row, size });
      bytes += size;
      isLarge = first.length >= ahead || bytes > MAX_PAGE_BYTES * MIN_PAGES;
      continue;
    }
    for (const one of first) yield { ...one, maxRows: MAX_PAGE_ROWS };
    first = [];
    yield { row, size, maxRows: pageRows ?? MAX_PAGE_ROWS };
  }
  const maxRows = Math.min(MAX_PAGE_ROWS, Math.max(MIN_PAGE_ROWS, Math.ceil(first.length / MIN_PAGES)));
  for (const one of first) yield { ...one, maxRows };
}

function tooManyPages(): MediaServiceError {
  const pages = MAX_PAGES.toLocaleString('en');
  return new MediaServiceError('Validation', `The manifest has more than ${pages} pages of rows.`, {
    outcome: 'refused',
    field: 'manifest',
    hint: 'A page has up to 1,000 rows and 4 MiB. Divide the manifest into several batches.',
  });
}
