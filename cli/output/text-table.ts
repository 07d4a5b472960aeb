import type { JsonObject, JsonValue } from '../../api/json';
import { plainLine } from './plain-text';
import { fitText, textWidth } from './text-width';

const MAX_COLUMNS = 6;
const MAX_WIDTH = 48;

/**
 * Records of unknown shape as rows for people: the wished columns that exist, then other scalar fields up to six. The columns
 * are those of the first records given and stay the same; the last one is never cut. `--json` shows everything.
 */
export function createTextTable(
  first: readonly JsonObject[],
  wished: readonly string[],
): (rows: readonly JsonObject[]) => string {
  const known = [...new Set(first.flatMap((row) => Object.keys(row).filter((key) => isScalar(row[key]))))];
  const columns = [
    ...wished.filter((name) => known.includes(name)),
    ...known.filter((name) => !wished.includes(name)),
  ].slice(0, MAX_COLUMNS);
  const widths = columns.map((name) =>
    Math.min(MAX_WIDTH, Math.max(name.length, ...first.map((row) => textWidth(cell(row[name]))))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, index) => (index === columns.length - 1 ? text : fitText(text, widths[index] ?? MAX_WIDTH)))
      .join('  ')
      .trimEnd();
  let headed = false;
  return (rows) => {
    const lines = rows.map((row) => line(columns.map((name) => cell(row[name]))));
    const head = headed ? [] : [line(columns.map((name) => name.toUpperCase()))];
    headed = true;
    return [...head, ...lines].map((text) => `${text}\n`).join('');
  };
}

function isScalar(value: JsonValue | undefined): boolean {
  return value !== undefined && (value === null || typeof value !== 'object');
}

function cell(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return plainLine(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
