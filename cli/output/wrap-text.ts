import { textWidth } from './text-width';

/**
 * Breaks a line into several of at most this many columns: at spaces, and in JSON after commas. Each further line
 * starts with `hanging` spaces. A longer word stays whole. Unknown columns break nothing.
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

/** Words with the spaces before them. JSON is broken after the commas between its fields. */
const PIECES = / *(?:[^ ,]|,(?!["{]))+(?:,(?=["{]))?/g;
