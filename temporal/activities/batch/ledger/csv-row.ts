export type Cell = string | number | boolean | undefined;

export const BYTE_ORDER_MARK = '\ufeff';

/** One record of a CSV (RFC 4180), with its CRLF. An unset cell is empty. */
export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map((cell) => quoted(String(cell ?? ''))).join(',')}\r\n`;
}

/** A text that a spreadsheet would take for a formula begins with an apostrophe. */
export function plainCell(cell: Cell): Cell {
  return typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
}

function quoted(text: string): string {
  return /[",\r\n\t;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
