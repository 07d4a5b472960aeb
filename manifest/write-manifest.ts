import type { JsonObject } from '../api/json';
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
    line: (row) => csvLine(columns.map((column) => cellOf(row, column))),
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

function cellOf(row: WritableRow, column: string): string {
  const { source, id = '', media, metadata } = row;
  if (column.startsWith(TAG_PREFIX)) return media.tags?.[column.slice(TAG_PREFIX.length)] ?? '';
  const cells: Readonly<Record<string, string | number | boolean | undefined>> = {
    source,
    id,
    title: media.title,
    fileType: media.fileType,
    creator: media.creator,
    resolution: media.resolution,
    duration: media.duration,
    isLibrary: media.insights?.isLibrary,
    includeInReport: media.insights?.includeInReport,
    metadata: metadata === undefined ? undefined : JSON.stringify(metadata),
  };
  return String(cells[column] ?? '');
}

function jsonRow({ source, id, media, metadata }: WritableRow): JsonObject {
  const { insights, tags, ...fields } = media;
  return {
    source,
    ...fields,
    ...(tags === undefined ? {} : { tags: { ...tags } }),
    ...(metadata === undefined ? {} : { metadata }),
    ...insights,
    ...(id === undefined ? {} : { id }),
  };
}
