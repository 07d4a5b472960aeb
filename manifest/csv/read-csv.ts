import { parseExact } from '../../api/json';
import type { Column } from '../columns';
import { makeRow } from '../make-row';
import type { RowRules } from '../make-row';
import type { ManifestItem } from '../row';
import { gatherFields } from '../row-fields';
import type { RowFields } from '../row-fields';
import type { TextBytes } from '../text-head';
import { readHeader } from './csv-header';
import type { CsvHeader } from './csv-header';
import { CsvScanner } from './csv-scanner';
import type { CsvRecord } from './csv-scanner';
import { guessSeparator, isSeparatorLine } from './separator';
import type { Separator } from './separator';

interface ReadCsvRules extends RowRules {
  readonly maxRowBytes: number;
  readonly onSeparator: ((separator: Separator) => void) | undefined;
}

/** Yields rows and mistakes of a CSV with a header, chunk by chunk. It skips lines that contain only separators. */
export async function* readCsv(
  { head, bytes }: TextBytes,
  { onSeparator, maxRowBytes, ...rules }: ReadCsvRules,
): AsyncGenerator<readonly ManifestItem[], void, undefined> {
  const separator = guessSeparator(head);
  onSeparator?.(separator);
  const scanner = new CsvScanner(separator.charCodeAt(0), maxRowBytes);
  const table = new Table(rules);
  for await (const chunk of bytes) {
    yield scanner.scan(chunk).flatMap((record) => table.itemsOf(record));
    if (table.isUnreadable) return;
  }
  yield scanner.end().flatMap((record) => table.itemsOf(record));
}

/** Interprets the records with the header, which is the first record that is not blank. */
class Table {
  private header: CsvHeader | undefined;
  /** No record can be read, because the header has no source. */
  isUnreadable = false;

  constructor(private readonly rules: RowRules) {}

  itemsOf(record: CsvRecord): readonly ManifestItem[] {
    if (this.isUnreadable || isBlank(record)) return [];
    if (this.header !== undefined) return rowItems(record, this.header, this.rules);
    if (isSeparatorLine(record.cells.join(''))) return [];
    const header = record.flaws.length > 0 ? undefined : readHeader(record.line, record.cells);
    this.header = header;
    this.isUnreadable = header?.hasSource !== true;
    return header?.mistakes ?? flawsOf(record, []);
  }
}

function isBlank({ flaws, cells }: CsvRecord): boolean {
  return flaws.length === 0 && cells.every((cell) => cell === '');
}

function rowItems(record: CsvRecord, header: CsvHeader, rules: RowRules): readonly ManifestItem[] {
  const { line, cells, flaws } = record;
  if (flaws.length > 0) return flawsOf(record, header.names);
  if (cells.length !== header.names.length) {
    const message = `the row has ${counted(cells.length)}, the header ${counted(header.names.length)}`;
    const also =
      cells.length < header.names.length
        ? ' Some spreadsheets leave out empty cells at the end: add them.'
        : '';
    return [
      { line, message, hint: `A cell that holds the separator or a line break must be in quotes.${also}` },
    ];
  }
  const unnamed = cells.findIndex((cell, index) => header.names[index] === '' && cell.trim() !== '');
  if (unnamed !== -1) {
    const message = `column ${String(unnamed + 1)} has a value here, but no name in the header`;
    return [{ line, message, hint: 'Name the column, or empty it.' }];
  }
  return makeRow(line, fieldsOf(cells, header), rules);
}

function flawsOf({ flaws }: CsvRecord, names: readonly string[]): readonly ManifestItem[] {
  return flaws.map(({ line, cell, message, hint }) => {
    const column = cell === undefined ? undefined : names[cell];
    return { line, ...(column === undefined ? {} : { column }), message, hint };
  });
}

function counted(cells: number): string {
  return `${String(cells)} cell${cells === 1 ? '' : 's'}`;
}

/** An empty cell is unset. A cell that can't be converted stays a text, and is checked as one. */
function fieldsOf(cells: readonly string[], { meanings }: CsvHeader): RowFields {
  const fields = new Map<string, unknown>();
  const tags = new Map<string, string>();
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index] ?? '';
    const meaning = meanings[index];
    if (cell === '' || meaning === undefined) continue;
    if ('tag' in meaning) tags.set(meaning.tag, cell);
    else fields.set(meaning.column, VALUES[meaning.column]?.(cell) ?? cell);
  }
  return gatherFields(fields, tags.size === 0 ? undefined : Object.fromEntries(tags));
}

const VALUES: Readonly<Partial<Record<Column, (text: string) => unknown>>> = {
  metadata: jsonOf,
  resolution: (text) => text.trim().toUpperCase(),
  duration: (text) => (/^\s*\d+\s*$/.test(text) ? Number(text) : text),
  isLibrary: flagOf,
  includeInReport: flagOf,
};

/** Spreadsheets write TRUE and FALSE. */
function flagOf(text: string): boolean | string {
  const word = text.trim().toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : text;
}

function jsonOf(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}
