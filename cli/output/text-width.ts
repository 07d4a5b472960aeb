import stringWidth from 'string-width';

const GRAPHEMES = new Intl.Segmenter();

/** Returns the columns of a line on a terminal: wide characters take two, combining marks none. */
export function textWidth(line: string): number {
  return stringWidth(line);
}

/** Returns the line, or as much of it as fits into this many columns, with an ellipsis. */
export function cutText(line: string, columns: number): string {
  if (textWidth(line) <= columns) return line;
  let [kept, width] = ['', 0];
  for (const { segment } of GRAPHEMES.segment(line)) {
    width += textWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Returns the line, cut or padded with spaces to exactly this many columns. */
export function fitText(line: string, columns: number): string {
  const cut = cutText(line, columns);
  return cut + ' '.repeat(Math.max(0, columns - textWidth(cut)));
}
