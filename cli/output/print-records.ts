import { given } from '../../api/json';
import { Option } from 'commander';
import type { Command } from 'commander';
import { numberFrom } from '../flags/option-values';
import type { JsonObject, JsonValue } from '../../api/json';
import type { Page } from '../../api/pages/each-page';
import type { Terminal } from './terminal';
import { plainLine } from './plain-text';
import { fitText, textWidth } from './text-width';

/** Which records a search shows: the first page, or with `all` or `limit` records from all pages. */
export interface PageFlags {
  readonly all?: boolean;
  readonly limit?: number;
}

export function withPageFlags(command: Command, noun: string): Command {
  return command
    .option('--limit <n>', `at most n ${noun} (default: the first page)`, numberFrom(1))
    .addOption(new Option('--all', 'all of them').conflicts('limit'));
}

const BATCH = 200;

interface RecordView {
  readonly json: boolean;
  /** Columns to show first, if the records have them. */
  readonly columns: readonly string[];
  /** Name of one record: `media item`. */
  readonly noun: string;
}

export interface Records {
  page(): Promise<Page>;
  each(limits: { readonly limit?: number }): AsyncIterable<JsonObject>;
}

/** Prints what the flags request: the first page or, with `--all` or `--limit`, records from all pages. */
export async function printRecords(
  terminal: Terminal,
  records: Records,
  { flags: { all, limit }, ...view }: RecordView & { readonly flags: PageFlags },
): Promise<void> {
  if (all !== true && limit === undefined) return printPage(terminal, await records.page(), view);
  return printEach(terminal, records.each(given({ limit })), view);
}

/** Prints one page: JSON lines, or a table and how many there are. */
async function printPage(terminal: Terminal, page: Page, view: RecordView): Promise<void> {
  const { items, totalElements } = page;
  if (view.json) {
    for (const item of items) await terminal.json(item);
    return;
  }
  if (items.length > 0)
    await terminal.data(
      createTextTable(items, { preferred: view.columns, columns: terminal.columns })(items),
    );
  const of = totalElements === undefined ? '' : ` of ${totalElements}`;
  const isPart = totalElements !== undefined && items.length < totalElements;
  const more = isPart ? '; --all gets all' : '';
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

const MAX_COLUMNS = 6;
const MAX_WIDTH = 48;
const GAP = '  ';

interface TableShape {
  /** Columns to show first, if the records have them. */
  readonly preferred: readonly string[];
  /** Columns of the terminal. Unset: rows may have any width. */
  readonly columns?: number | undefined;
}

/**
 * Shows records of unknown shape as rows for people: the preferred columns that exist, then up to six other scalar
 * fields. The first records decide the columns, which then stay the same. The last column is never cut. Columns that
 * don't fit on a terminal go to separate lines below. `--json` shows everything.
 */
export function createTextTable(
  first: readonly JsonObject[],
  { preferred, columns = Infinity }: TableShape,
): (rows: readonly JsonObject[]) => string {
  const known = [...new Set(first.flatMap((row) => Object.keys(row).filter((key) => isScalar(row[key]))))];
  const names = [
    ...preferred.filter((name) => known.includes(name)),
    ...known.filter((name) => !preferred.includes(name)),
  ].slice(0, MAX_COLUMNS);
  const widths = names.map((name) =>
    Math.min(MAX_WIDTH, Math.max(headOf(name).length, ...first.map((row) => textWidth(cell(row[name]))))),
  );
  const isLast = (index: number): boolean => index === names.length - 1;
  const widest = Math.max(0, ...first.map((row) => textWidth(cell(row[names.at(-1) ?? '']))));
  const beside = fitting([...widths.slice(0, -1), Math.max(widest, widths.at(-1) ?? 0)], columns);
  const lines = (cells: readonly string[]): string[] => {
    const line = cells
      .slice(0, beside)
      .map((text, index) =>
        isLast(index) ? text : fitText(text, Math.min(widths[index] ?? MAX_WIDTH, columns)),
      );
    return [line.join(GAP).trimEnd(), ...packed(cells.slice(beside), columns)];
  };
  let headed = false;
  return (rows) => {
    const head = headed ? [] : lines(names.map(headOf));
    headed = true;
    const body = rows.flatMap((row) => lines(names.map((name) => cell(row[name]))));
    return [...head, ...body].map((text) => `${text}\n`).join('');
  };
}

/** Prints rows that all have the same fields, in the order of these. */
export async function printTable(terminal: Terminal, rows: readonly JsonObject[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const shape = { preferred: Object.keys(first), columns: terminal.columns };
  await terminal.data(createTextTable(rows, shape)(rows));
}

/** Makes the head of a column: `fileType` as FILE TYPE, `isLibrary` as LIBRARY, `subAccountId` as SUB-ACCOUNT. */
function headOf(name: string): string {
  return name
    .replace(/^is(?=[A-Z])/, '')
    .replace(/^subAccount(Id)?$/, 'sub-account')
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .toUpperCase();
}

/** How many of the columns fit side by side; always at least one. */
function fitting(widths: readonly number[], columns: number): number {
  let used = 0;
  const tooWide = widths.findIndex((width, index) => {
    used += width + (index === 0 ? 0 : GAP.length);
    return index > 0 && used > columns;
  });
  return tooWide === -1 ? widths.length : tooWide;
}

/** Puts non-empty cells on as few indented lines as possible, without cutting any. */
function packed(cells: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const text of cells.filter((each) => each !== '')) {
    const longer = `${lines.at(-1) ?? ''}${GAP}${text}`;
    if (lines.length > 0 && textWidth(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(`${GAP}${text}`);
  }
  return lines;
}

function isScalar(value: JsonValue | undefined): boolean {
  return value !== undefined && (value === null || typeof value !== 'object');
}

function cell(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return plainLine(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
