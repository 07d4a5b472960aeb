import { columnNamed, isColumn, tagKeyOf } from '../columns';

/** The possible separators of a CSV. */
const SEPARATORS = [',', ';', '\t'] as const;
export type Separator = (typeof SEPARATORS)[number];

/**
 * Guesses the separator of a CSV from its first bytes: the one that gives the most known columns in the first line
 * that holds more than separators, else the comma.
 */
export function guessSeparator(head: Uint8Array): Separator {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString('utf8');
  const first = text.split(/[\r\n]/).find((line) => /[^\s,;]/.test(line) && !isSeparatorLine(line)) ?? '';
  const known = SEPARATORS.map((separator) => ({ separator, count: knownColumns(first.split(separator)) }));
  return known.reduce((best, one) => (one.count > best.count ? one : best)).separator;
}

/** Excel reads the separator from a first line `sep=;`, and other programs write it for Excel. */
export function isSeparatorLine(line: string): boolean {
  return /^"?sep=[,;\t]?"?$/i.test(line.trim());
}

function knownColumns(cells: readonly string[]): number {
  return cells
    .map((cell) => columnNamed(cell.trim().replace(/^"(.*)"$/, '$1')))
    .filter((name) => isColumn(name) || tagKeyOf(name) !== undefined).length;
}
