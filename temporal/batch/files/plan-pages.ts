import { MediaServiceError } from '../../../api/errors';
import { Mistakes } from '../../../manifest/mistakes';
import { isMistake } from '../../../manifest/row';
import type { ManifestItem, ManifestRow } from '../../../manifest/row';
import { addedRows } from './added-rows';
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

export interface PlanInput {
  /** The ids differ, or one of the mistakes reports the repeated id. */
  readonly rows: AsyncIterable<ManifestItem>;
  /** Unset: a tenth of the new rows, within limits. */
  readonly pageRows?: number | undefined;
  /** Pages of an earlier start. The manifest must contain all of their rows. */
  readonly old: readonly StoredPage[];
  readonly batchId: string;
  /** Folder for temporary files, which are removed afterwards. */
  readonly tempDir: string;
  readonly planned: (row: ManifestRow) => PlannedRow;
  /** Reads the rows of a page of the earlier start. */
  readonly readOld: (page: number) => Promise<readonly PlannedRow[]>;
  readonly write: (page: number, rows: readonly PlannedRow[]) => Promise<void>;
}

/**
 * Cuts a manifest into pages, in its order. Pages of an earlier start keep the same rows in the same order, even if
 * the manifest's order changed. They are written again because URLs get new queries and rows get other lines. New rows
 * become new pages after them. Rejects with `Validation` if a row is wrong or there are none; the error names the
 * first mistakes by line. Rejects with `InputDiffers` if earlier rows changed or are missing; the error names the
 * first of them. Memory: one page if the manifest begins with the earlier rows in their order, otherwise that of
 * `addedRows`.
 */
export async function planPages(input: PlanInput): Promise<StoredPage[]> {
  const { old } = input;
  const rows = plannedRows(input);
  try {
    const { kept, read } = await keepBeginning(input, rows);
    const rest = following(read, rows);
    const added = kept === old.length ? rest : addedRows({ ...input, rows: rest, from: kept });
    const pages = [...old, ...(await writeNewPages(input, added))];
    if (pages.length > 0) return pages;
    throw new MediaServiceError('Validation', 'The manifest holds no rows.', { field: 'manifest' });
  } finally {
    await rows.return(undefined);
  }
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

/** The number of old pages that the manifest begins with, and the rows that were read after them. */
async function keepBeginning(
  { old, write }: PlanInput,
  rows: AsyncIterator<PlannedRow>,
): Promise<{ readonly kept: number; readonly read: readonly PlannedRow[] }> {
  for (const [page, stored] of old.entries()) {
    const read = await take(rows, stored.rows);
    if (pageDigest(read) !== stored.digest) return { kept: page, read };
    await write(page, read);
  }
  return { kept: old.length, read: [] };
}

async function take(rows: AsyncIterator<PlannedRow>, count: number): Promise<PlannedRow[]> {
  const taken: PlannedRow[] = [];
  while (taken.length < count) {
    const next = await rows.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

async function* following(
  read: readonly PlannedRow[],
  rows: AsyncIterable<PlannedRow>,
): AsyncGenerator<PlannedRow, void, undefined> {
  yield* read;
  yield* rows;
}

async function writeNewPages(
  { old, pageRows, write }: PlanInput,
  rows: AsyncIterable<PlannedRow>,
): Promise<StoredPage[]> {
  const pages: StoredPage[] = [];
  let page: PlannedRow[] = [];
  let bytes = 0;
  const finish = async (): Promise<void> => {
    if (old.length + pages.length >= MAX_PAGES) throw tooManyPages();
    await write(old.length + pages.length, page);
    pages.push({ rows: page.length, digest: pageDigest(page) });
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
