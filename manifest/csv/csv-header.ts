import { COLUMNS, columnNamed, isColumn, tagKeyOf, unknownName, type Column } from '../columns';
import type { ManifestMistake } from '../row';

/** What each cell of a row means: a column, a tag, or nothing known. */
type CellMeaning = { readonly column: Column } | { readonly tag: string } | undefined;

export interface CsvHeader {
  /** As written. */
  readonly names: readonly string[];
  readonly meanings: readonly CellMeaning[];
  readonly mistakes: readonly ManifestMistake[];
  /** Without it no row can be read. */
  readonly hasSource: boolean;
}

const ALL = `${COLUMNS.join(', ')} and tags.<key>`;

/** Reads the first line of a CSV. Reports everything that is wrong with it at once. */
export function readHeader(line: number, cells: readonly string[]): CsvHeader {
  const names = cells.map((cell) => columnNamed(cell.trim()));
  const meanings = names.map(meaningOf);
  const hasSource = names.includes('source');
  const isData = !hasSource && looksLikeData(names);
  if (isData || meanings.every((meaning) => meaning === undefined)) {
    return { names, meanings, hasSource, mistakes: [noHeader(line, isData)] };
  }
  const mistakes: ManifestMistake[] = [];
  const seen = new Set<string>();
  names.forEach((name, index) => {
    // Spreadsheets write empty columns, too. A value below an empty name is a mistake of its row.
    if (name === '') return;
    if (meanings[index] === undefined)
      mistakes.push({ line, ...unknownName(name, { noun: 'column', all: `Columns are ${ALL}.` }) });
    else if (seen.has(name)) {
      mistakes.push({
        line,
        column: name,
        message: `the column ${name} occurs twice`,
        hint: 'Remove one.',
      });
    }
    seen.add(name);
  });
  if (!hasSource) {
    mistakes.push({
      line,
      column: 'source',
      message: 'the column source is missing',
      hint: `Columns are ${ALL}.`,
    });
  }
  return { names, meanings, hasSource, mistakes };
}

function meaningOf(name: string): CellMeaning {
  if (isColumn(name)) return { column: name };
  const tag = tagKeyOf(name);
  return tag === undefined ? undefined : { tag };
}

function looksLikeData(names: readonly string[]): boolean {
  return names.some((name) => /[\\/]|:\/\/|\.[a-z0-9]{2,5}$/i.test(name) || /^\d+$/.test(name));
}

function noHeader(line: number, isData: boolean): ManifestMistake {
  return {
    line,
    message: isData ? 'the first line is not a header, but a row' : 'the first line names no known column',
    hint: `Begin with a line that names the columns, such as source,title. The columns are ${ALL}.`,
  };
}
