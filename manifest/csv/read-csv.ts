import { makeRow, type RowFields, type RowRules } from '../make-row';
import type { ManifestMistake, ManifestRow } from '../row';
import type { TextBytes } from '../text-head';
import { readHeader, type CsvHeader } from './csv-header';
import { CsvScanner, type CsvRecord } from './csv-scanner';
import { guessSeparator, type Separator } from './separator';

export interface ReadCsvRules extends RowRules {
  readonly maxRowBytes: number;
  readonly separator: Separator | undefined;
}

/** Rows and mistakes of a CSV with a header. Lines with nothing but separators are left out. */
export async function* readCsv(
  { head, bytes }: TextBytes,
  { separator = guessSeparator(head), maxRowBytes, ...rules }: ReadCsvRules,
): AsyncGenerator<ManifestRow | ManifestMistake, void, undefined> {
  const scanner = new CsvScanner(separator.charCodeAt(0), maxRowBytes);
  let header: CsvHeader | undefined;
  for await (const record of recordsOf(scanner, bytes)) {
    if (record.flaws.length === 0 && record.cells.every((cell) => cell === '')) continue;
    if (header === undefined) {
      if (record.flaws.length > 0) {
        yield* flawsOf(record, []);
        return;
      }
      header = readHeader(record.line, record.cells);
      yield* header.mistakes;
      if (!header.hasSource) return;
    } else yield* itemsOf(record, header, rules);
  }
}

async function* recordsOf(
  scanner: CsvScanner,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<CsvRecord, void, undefined> {
  for await (const chunk of bytes) yield* scanner.scan(chunk);
  yield* scanner.end();
}

function itemsOf(
  record: CsvRecord,
  header: CsvHeader,
  rules: RowRules,
): readonly (ManifestRow | ManifestMistake)[] {
  const { line, cells, flaws } = record;
  if (flaws.length > 0) return flawsOf(record, header.names);
  if (cells.length !== header.names.length) {
    const message = `the row has ${counted(cells.length)}, the header ${counted(header.names.length)}`;
    return [{ line, message, hint: 'A cell that holds the separator or a line break must stand in quotes.' }];
  }
  return makeRow(line, fieldsOf(cells, header), rules);
}

function flawsOf({ flaws }: CsvRecord, names: readonly string[]): ManifestMistake[] {
  return flaws.map(({ line, cell, message, hint }) => {
    const column = cell === undefined ? undefined : names[cell];
    return { line, ...(column === undefined ? {} : { column }), message, hint };
  });
}

function counted(cells: number): string {
  return `${String(cells)} cell${cells === 1 ? '' : 's'}`;
}

/** An empty cell is unset. What a cell's text does not turn into stays a text, and is judged as one. */
function fieldsOf(cells: readonly string[], { meanings }: CsvHeader): RowFields {
  const tags: [string, string][] = [];
  const columns = new Map<string, string>();
  cells.forEach((cell, index) => {
    const meaning = meanings[index];
    if (cell === '' || meaning === undefined) return;
    if ('tag' in meaning) tags.push([meaning.tag, cell]);
    else columns.set(meaning.column, cell);
  });
  const value = (column: string, read: (text: string) => unknown): Record<string, unknown> => {
    const text = columns.get(column);
    return text === undefined ? {} : { [column]: read(text) };
  };
  const asIs = (text: string): unknown => text;
  const insights = { ...value('isLibrary', flagOf), ...value('includeInReport', flagOf) };
  return {
    ...value('source', asIs),
    ...value('id', asIs),
    ...value('metadata', jsonOf),
    media: {
      ...value('fileType', asIs),
      ...value('title', asIs),
      ...value('creator', asIs),
      ...value('resolution', (text) => text.trim().toUpperCase()),
      ...value('duration', (text) => (/^\s*\d+\s*$/.test(text) ? Number(text) : text)),
      ...(tags.length === 0 ? {} : { tags: Object.fromEntries(tags) }),
      ...(Object.keys(insights).length === 0 ? {} : { insights }),
    },
  };
}

/** Spreadsheets write TRUE and FALSE. */
function flagOf(text: string): unknown {
  const word = text.trim().toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : text;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
