import type { JsonObject } from '../../api/json';
import type { Page } from '../../api/pages/each-page';
import type { PageFlags } from '../flags/page-flags';
import type { Terminal } from './terminal';
import { createTextTable } from './text-table';

const BATCH = 200;

interface RecordView {
  readonly json: boolean;
  /** Columns to show first, if the records have them. */
  readonly columns: readonly string[];
  /** Name of one record: `media item`. */
  readonly noun: string;
}

export interface Records {
  page(which: { readonly page?: number }): Promise<Page>;
  each(limits: { readonly limit?: number }): AsyncIterable<JsonObject>;
}

/** Prints what the flags request: one page or, with `--all` or `--limit`, records from all pages. */
export async function printRecords(
  terminal: Terminal,
  records: Records,
  { flags: { page, all, limit }, ...view }: RecordView & { readonly flags: PageFlags },
): Promise<void> {
  if (all !== true && limit === undefined)
    return printPage(terminal, await records.page(page === undefined ? {} : { page }), view);
  return printEach(terminal, records.each(limit === undefined ? {} : { limit }), view);
}

/** Prints one page: a JSON document with its totals, or a table. */
async function printPage(terminal: Terminal, page: Page, view: RecordView): Promise<void> {
  const { items, page: number, size, totalElements, totalPages } = page;
  if (view.json) return terminal.json({ items, page: number, size, totalElements, totalPages });
  if (items.length > 0)
    await terminal.data(
      createTextTable(items, { preferred: view.columns, columns: terminal.columns })(items),
    );
  const of = totalElements === undefined ? '' : ` of ${totalElements}`;
  const isPart = totalElements !== undefined && items.length < totalElements;
  const more = isPart ? '; --all gets all, --page another page' : '';
  terminal.note(`${items.length}${of} ${view.noun}${items.length === 1 && of === '' ? '' : 's'}${more}.`);
}

/** Prints any number of records: JSON lines, or a table that grows. */
async function printEach(
  terminal: Terminal,
  records: AsyncIterable<JsonObject>,
  view: RecordView,
): Promise<void> {
  let count = 0;
  let batch: JsonObject[] = [];
  let table: ((rows: readonly JsonObject[]) => string) | undefined;
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    table ??= createTextTable(batch, { preferred: view.columns, columns: terminal.columns });
    await terminal.data(table(batch));
    batch = [];
  };
  for await (const record of records) {
    count += 1;
    if (view.json) await terminal.json(record);
    else if (batch.push(record) === BATCH) await flush();
  }
  await flush();
  if (!view.json) terminal.note(`${count} ${view.noun}${count === 1 ? '' : 's'}.`);
}
