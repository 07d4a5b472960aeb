import { parseExact } from '../api/json';
import { COLUMNS, columnNamed, isColumn, tagKeyOf, unknownName } from './columns';
import type { Column } from './columns';
import { gatherFields, makeRow } from './make-row';
import type { RowFields, RowRules } from './make-row';
import { isMistake } from './row';
import type { ManifestItem, ManifestMistake } from './row';
import { isSeparatorLine, textRecords } from './text-records';
import type { Separator, TextBytes, TextRecord } from './text-records';

const ALL = `${COLUMNS.join(', ')} and tags.<key>`;

/**
 * Yields rows and mistakes of a CSV. The header is the first record that is not blank. Skips lines that contain only
 * separators. Ends after a header without a source.
 */
export async function* readCsv(
  { bytes }: TextBytes,
  separator: Separator,
  rules: RowRules,
): AsyncGenerator<ManifestItem, void, undefined> {
  let names: readonly string[] | undefined;
  for await (const record of textRecords(bytes, separator)) {
    if (isMistake(record)) yield record;
    else if (record.cells.every((cell) => cell === '')) continue;
    else if (names !== undefined) yield rowItem(record, names, rules);
    else if (!isSeparatorLine(record.cells.join(''))) {
      names = record.cells.map((cell) => columnNamed(cell.trim()));
      yield* headerMistakes(record.line, names);
      if (!names.includes('source')) return;
    }
  }
}

/** Everything that is wrong with a header. Spreadsheets write empty columns, too. */
function headerMistakes(line: number, names: readonly string[]): ManifestMistake[] {
  if (!names.some(isKnown)) {
    const hint = `Begin with a line that names the columns, such as source,title. The columns are ${ALL}.`;
    return [{ line, message: 'the first line names no known column', hint }];
  }
  const seen = new Set<string>();
  const mistakes = names.flatMap((name): ManifestMistake[] => {
    if (name === '') return [];
    if (!isKnown(name))
      return [{ line, ...unknownName(name, { noun: 'column', all: `Columns are ${ALL}.` }) }];
    return seen.size === seen.add(name).size
      ? [{ line, column: name, message: `the column ${name} occurs twice`, hint: 'Remove one.' }]
      : [];
  });
  const missing = { line, column: 'source', message: 'the column source is missing' };
  return names.includes('source') ? mistakes : [...mistakes, { ...missing, hint: `Columns are ${ALL}.` }];
}

function isKnown(name: string): boolean {
  return isColumn(name) || tagKeyOf(name) !== undefined;
}

function rowItem({ line, cells }: TextRecord, names: readonly string[], rules: RowRules): ManifestItem {
  if (cells.length !== names.length) {
    const message = `the row has ${counted(cells.length)}, the header ${counted(names.length)}`;
    const also =
      cells.length < names.length ? ' Some spreadsheets leave out empty cells at the end: add them.' : '';
    const hint = `A cell that holds the separator or a line break must be in quotes.${also}`;
    return { line, message, hint };
  }
  const unnamed = cells.findIndex((cell, index) => names[index] === '' && cell.trim() !== '');
  if (unnamed !== -1) {
    const message = `column ${String(unnamed + 1)} has a value here, but no name in the header`;
    return { line, message, hint: 'Name the column, or empty it.' };
  }
  return makeRow(line, fieldsOf(cells, names), rules);
}

function counted(cells: number): string {
  return `${String(cells)} cell${cells === 1 ? '' : 's'}`;
}

/** An empty cell is unset. A cell that can't be converted stays a text, and is checked as one. */
function fieldsOf(cells: readonly string[], names: readonly string[]): RowFields {
  const fields = new Map<string, unknown>();
  const tags: [string, string][] = [];
  for (const [index, cell] of cells.entries()) {
    const name = names[index] ?? '';
    const tag = tagKeyOf(name);
    if (cell === '') continue;
    if (tag !== undefined) tags.push([tag, cell]);
    else if (isColumn(name)) fields.set(name, VALUES[name]?.(cell) ?? cell);
  }
  return gatherFields(fields, tags.length === 0 ? undefined : Object.fromEntries(tags));
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
