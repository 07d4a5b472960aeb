import { given } from '../api/json';
import { TAG_PREFIX } from './columns';
import type { ManifestFormat } from './format';
import type { ManifestRow } from './row';

/** A row to write; its id is written if it has one. */
export type WritableRow = Omit<ManifestRow, 'line' | 'id'> & { readonly id?: string };

interface ManifestWriter {
  /** The line with the columns; empty if the format has none. */
  readonly header: string;
  /** Returns a row as one line with its line end. A cell of a CSV may contain further line ends. */
  line(row: WritableRow): string;
}

/**
 * Writes what `readManifest` reads back. In CSV it leaves out fields that are not in `columns` (names as in the
 * header).
 */
export function manifestWriter(format: ManifestFormat, columns: readonly string[]): ManifestWriter {
  if (format === 'jsonl') return { header: '', line: (row) => `${JSON.stringify(jsonRow(row))}\n` };
  return {
    header: csvLine(columns),
    line(row) {
      const cells = cellsOf(row);
      return csvLine(columns.map((column) => cells.get(column) ?? ''));
    },
  };
}

/** Returns cells as one line of a CSV, with quotes where necessary. */
export function csvLine(cells: readonly string[]): string {
  const [only] = cells;
  // A line with one empty cell would be a blank line.
  if (cells.length === 1 && only === '') return '""\n';
  return `${cells.map(quoted).join(',')}\n`;
}

function quoted(cell: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** The cells of a row by the names of their columns. */
function cellsOf({ source, id, media, metadata }: WritableRow): Map<string, string> {
  const { insights, tags = {}, ...fields } = media;
  const json = metadata === undefined ? '' : JSON.stringify(metadata);
  const cells = Object.entries({ source, id, ...fields, ...insights, metadata: json });
  const tagCells = Object.entries(tags).map(([key, value]) => [TAG_PREFIX + key, value] as const);
  return new Map([...cells, ...tagCells].map(([name, value]) => [name, String(value ?? '')]));
}

function jsonRow({ source, id, media, metadata }: WritableRow): object {
  const { insights, tags, ...fields } = media;
  return { source, ...fields, ...given({ tags, metadata }), ...insights, ...given({ id }) };
}
