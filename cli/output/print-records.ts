import type { JsonObject } from '../../api/json';
import type { Page } from '../../api/pages/page';
import type { Terminal } from './terminal';
import { createTextTable } from './text-table';

const BATCH = 200;

export interface RecordView {
  readonly json: boolean;
  /** Columns to show first, where the records have them. */
  readonly columns: readonly string[];
  /** What one record is called: `media item`. */
  readonly noun: string;
}

/** One page: a JSON document with its totals, or a table. */
export async function printPage(terminal: Terminal, page: Page, view: RecordView): Promise<void> {
  const { items, page: number, size, totalElements, totalPages } = page;
  if (view.json) return terminal.json({ items, page: number, size, totalElements, totalPages });
  if (items.length > 0) await terminal.data(createTextTable(items, view.columns)(items));
  const of = totalElements === undefined ? '' : ` of ${totalElements}`;
  terminal.note(`${items.length}${of} ${view.noun}${items.length === 1 && of === '' ? '' : 's'}.`);
}

/** Any number of records: JSON lines, or a table that grows. */
export async function printEach(
  terminal: Terminal,
  records: AsyncIterable<JsonObject>,
  view: RecordView,
): Promise<void> {
  let count = 0;
  let batch: JsonObject[] = [];
  let table: ((rows: readonly JsonObject[]) => string) | undefined;
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    table ??= createTextTable(batch, view.columns);
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
