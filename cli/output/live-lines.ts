import type { Writable } from 'node:stream';
import { highlight, highlightBar } from './highlight';
import { cutText, textWidth } from './text-width';

const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

/** A terminal that lines can be drawn on. */
export type Screen = Writable & {
  readonly columns?: number;
  readonly rows?: number;
  hasColors?(): boolean;
};

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Lines at the bottom of a terminal that are redrawn. Printed text goes above them and stays. */
export interface LiveLines {
  /** Prints text without its last line break. The terminal wraps lines that are too wide. */
  print(text: string): void;
  /** Draws the lines again. */
  draw(): void;
  /** Draws the lines once more and leaves them there. */
  close(): void;
}

/** `render` makes the lines for the terminal's current size. Anything that doesn't fit is cut. */
export function createLiveLines(screen: Screen, render: (size: ScreenSize) => readonly string[]): LiveLines {
  let drawn: readonly string[] = [];
  const hasColours = screen.hasColors?.() === true;
  // Colours come last, because they have no width.
  const painted = (line: string): string => (hasColours ? highlightBar(line) : line);
  const redraw = (above = ''): void => {
    const { columns, rows } = sizeOf(screen);
    // A terminal that became narrower has wrapped the drawn lines.
    const drawnRows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
    const erase = drawnRows === 0 ? '\r' : `\r\x1b[${Math.min(drawnRows, rows)}A\x1b[J`;
    // One column and one row less: the cursor is below, and no terminal wraps or scrolls by itself.
    const size = { columns: columns - 1, rows: rows - 1 };
    drawn = render(size)
      .slice(0, size.rows)
      .map((line) => cutText(line, size.columns));
    screen.write(erase + above + drawn.map((line) => `${painted(line)}\n`).join(''));
  };
  const onResize = (): void => redraw();
  screen.on('resize', onResize);
  return {
    print: (text) => redraw(`${hasColours && !text.startsWith('{') ? highlight(text) : text}\n`),
    draw: () => redraw(),
    close() {
      screen.off('resize', onResize);
      redraw();
    },
  };
}

/** A pseudo-terminal without a size reports 0. */
function sizeOf({ columns = 0, rows = 0 }: Screen): ScreenSize {
  return { columns: columns > 1 ? columns : DEFAULT_COLUMNS, rows: rows > 1 ? rows : DEFAULT_ROWS };
}
