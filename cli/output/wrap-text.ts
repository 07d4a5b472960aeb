import { textWidth } from './text-width';

/**
 * A line as several of at most so many columns, broken at blanks, and in JSON behind commas; `hanging` blanks begin each further one. A word that is wider stays whole.
 * Columns that are unknown break nothing.
 */
export function wrapLine(line: string, columns = Infinity, hanging = 0): string {
  const [indent = ''] = /^ */.exec(line) ?? [];
  const further = ' '.repeat(hanging);
  const lines: string[] = [];
  let current = indent;
  let isEmpty = true;
  for (const [piece] of line.slice(indent.length).matchAll(PIECES)) {
    const word = piece.trimStart();
    const longer = isEmpty ? current + word : current + piece;
    if (isEmpty || textWidth(longer) <= columns) {
      current = longer;
    } else {
      lines.push(current);
      current = further + word;
    }
    isEmpty = false;
  }
  return [...lines, current].join('\n');
}

/** Words with the blanks before them. JSON is broken behind the commas between its fields. */
const PIECES = / *(?:[^ ,]|,(?!["{]))+(?:,(?=["{]))?/g;
