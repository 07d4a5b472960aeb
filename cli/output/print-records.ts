import { Option } from 'commander';
import type { Command } from 'commander';
import { numberFrom } from '../flags/options';
import type { JsonObject, JsonValue } from '../../api/json';
import type { Terminal } from './terminal';
import stringWidth from 'string-width';
import { plainLine, fitText } from './plain-text';

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

/** So many rows decide the columns of a table, and are printed at once. */
const ROWS_AT_ONCE = 200;

interface ListView<T> {
  /** What `--json` shows of an item. Default: the item itself. */
  readonly json?: (item: T) => unknown;
  readonly row: (item: T) => JsonObject;
  /** Columns to show first, if the rows have them. Default: as the rows have them. */
  readonly columns?: readonly string[];
  /** Name of one item: `media item`. */
  readonly noun: string;
  readonly plural?: string;
  /** What a search may have left out. Unset: nothing. */
  readonly flags?: PageFlags;
}

/** Prints any number of items: JSON lines, or a table that grows and how many there are. */
export async function printList<T>(
  terminal: Terminal,
  items: AsyncIterable<T> | Iterable<T>,
  { json = (item) => item, row, columns = [], noun, plural = `${noun}s`, flags }: ListView<T>,
): Promise<void> {
  let count = 0;
  let rows: JsonObject[] = [];
  let table: ((rows: readonly JsonObject[]) => string) | undefined;
  const flush = async (): Promise<void> => {
    if (rows.length === 0) return;
    table ??= createTextTable(rows, columns);
    await terminal.data(table(rows));
    rows = [];
  };
  for await (const item of items) {
    count += 1;
    if (terminal.isJson) await terminal.json(json(item));
    else if (rows.push(row(item)) === ROWS_AT_ONCE) await flush();
  }
  await flush();
  const mayBeMore = flags !== undefined && flags.all !== true && flags.limit === undefined;
  const more = mayBeMore && count === DEFAULT_LIMIT ? '; --all gets all' : '';
  terminal.note(`${count} ${count === 1 ? noun : plural}${more}.`);
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
    Math.min(MAX_WIDTH, Math.max(headOf(name).length, ...first.map((row) => stringWidth(cell(row[name]))))),
  );
  const line = (cells: readonly string[]): string => {
    const fitted = cells.slice(0, -1).map((text, index) => fitText(text, widths[index] ?? MAX_WIDTH));
    return `${[...fitted, ...cells.slice(-1)].join(GAP).trimEnd()}\n`;
  };
  let head = line(names.map(headOf));
  return (rows) => {
    const text = head + rows.map((row) => line(names.map((name) => cell(row[name])))).join('');
    head = '';
    return text;
  };
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
