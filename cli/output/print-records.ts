import { Option } from 'commander';
import type { Command } from 'commander';
import { numberFrom } from '../flags/option-values';
import type { JsonObject, JsonValue } from '../../api/json';
import type { Terminal } from './terminal';
import { plainLine } from './plain-text';
import { fitText, textWidth } from './text-width';

/** How many records a search shows. */
export interface PageFlags {
  readonly all?: boolean;
  readonly limit?: number;
}

const DEFAULT_LIMIT = 20;

export function withPageFlags(command: Command, noun: string): Command {
  return command
    .option('--limit <n>', `at most n ${noun} (default: ${DEFAULT_LIMIT})`, numberFrom(1))
    .addOption(new Option('--all', 'all of them').conflicts('limit'));
}

export function limitOf({ all, limit = DEFAULT_LIMIT }: PageFlags): { readonly limit?: number } {
  return all === true ? {} : { limit };
}

const BATCH = 200;

interface RecordView {
  readonly json: boolean;
  /** Columns to show first, if the records have them. */
  readonly columns: readonly string[];
  /** Name of one record: `media item`. */
  readonly noun: string;
  readonly flags: PageFlags;
}

/** Prints any number of records: JSON lines, or a table that grows. */
export async function printRecords(
  terminal: Terminal,
  records: AsyncIterable<JsonObject>,
  { json, columns, noun, flags }: RecordView,
): Promise<void> {
  let count = 0;
  let batch: JsonObject[] = [];
  let table: ((rows: readonly JsonObject[]) => string) | undefined;
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    table ??= createTextTable(batch, columns);
    await terminal.data(table(batch));
    batch = [];
  };
  for await (const record of records) {
    count += 1;
    if (json) await terminal.json(record);
    else if (batch.push(record) === BATCH) await flush();
  }
  await flush();
  const mayBeMore = flags.all !== true && flags.limit === undefined && count === DEFAULT_LIMIT;
  const more = mayBeMore ? '; --all gets all' : '';
  if (!json) terminal.note(`${count} ${noun}${count === 1 ? '' : 's'}${more}.`);
}

const MAX_COLUMNS = 6;
const MAX_WIDTH = 48;
const GAP = '  ';

/**
 * Shows records of unknown shape as rows for people: the preferred columns that exist, then up to six other scalar
 * fields. The first records decide the columns, which then stay the same. The last column is never cut. `--json` shows
 * everything.
 */
export function createTextTable(
  first: readonly JsonObject[],
  preferred: readonly string[],
): (rows: readonly JsonObject[]) => string {
  const known = [...new Set(first.flatMap((row) => Object.keys(row).filter((key) => isScalar(row[key]))))];
  const names = [
    ...preferred.filter((name) => known.includes(name)),
    ...known.filter((name) => !preferred.includes(name)),
  ].slice(0, MAX_COLUMNS);
  const widths = names.map((name) =>
    Math.min(MAX_WIDTH, Math.max(headOf(name).length, ...first.map((row) => textWidth(cell(row[name]))))),
  );
  const line = (cells: readonly string[]): string => {
    const [last = '', ...before] = cells.toReversed();
    const fitted = before.toReversed().map((text, index) => fitText(text, widths[index] ?? MAX_WIDTH));
    return `${[...fitted, last].join(GAP).trimEnd()}\n`;
  };
  let head = line(names.map(headOf));
  return (rows) => {
    const text = head + rows.map((row) => line(names.map((name) => cell(row[name])))).join('');
    head = '';
    return text;
  };
}

/** Prints what a command lists: JSON lines, or a table and how many there are. */
export async function printList<T>(
  terminal: Terminal,
  items: readonly T[],
  { json, row, noun, plural = `${noun}s` }: ListView<T>,
): Promise<void> {
  if (json !== undefined) {
    for (const item of items) await terminal.json(json(item));
    return;
  }
  const rows = items.map(row);
  const [first] = rows;
  if (first !== undefined) await terminal.data(createTextTable(rows, Object.keys(first))(rows));
  terminal.note(`${items.length} ${items.length === 1 ? noun : plural}.`);
}

interface ListView<T> {
  /** Unset: a table is printed. */
  readonly json: ((item: T) => object) | undefined;
  /** All rows have the same fields, in the order of the columns. */
  readonly row: (item: T) => Record<string, string>;
  readonly noun: string;
  readonly plural?: string;
}

/** Makes the head of a column: `fileType` as FILE TYPE. */
function headOf(name: string): string {
  return name.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ').toUpperCase();
}

function isScalar(value: JsonValue | undefined): boolean {
  return value !== undefined && (value === null || typeof value !== 'object');
}

function cell(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return plainLine(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
