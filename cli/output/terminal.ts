import { once } from 'node:events';
import type { Writable } from 'node:stream';
import stringWidth from 'string-width';
import { renderError } from '../errors/render-error';
import type { ErrorView } from '../errors/render-error';
import { plainJson, plainLine, plainText, cutText } from './plain-text';

interface TerminalStreams {
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Screen & { readonly isTTY?: boolean };
}

/** The two streams of a command: data on stdout, everything else on stderr. With `--json` both hold only JSON. */
export class Terminal {
  /** True: the command serves others, and continues without a reader of stdout. Its data is then dropped. */
  outlivesReaders = false;
  /** How the command line wants its output. */
  view: ErrorView = { json: false, debug: false };

  /** `plain`: nothing is redrawn, even if stderr is a terminal. */
  constructor(
    private readonly streams: TerminalStreams,
    private readonly options: { readonly plain?: boolean } = {},
  ) {}

  get isJson(): boolean {
    return this.view.json;
  }

  /** Writes text as data. Waits while the reader is slower. */
  async data(text: string): Promise<void> {
    if (!this.streams.stdout.write(text)) await once(this.streams.stdout, 'drain');
  }

  /** Writes what a command found: with `--json` the value, else the text. */
  async answer(value: unknown, text: string): Promise<void> {
    await (this.isJson ? this.json(value) : this.data(text));
  }

  /** Writes data from elsewhere: without control characters on a terminal, unchanged to a file or a program. */
  async remoteData(text: string): Promise<void> {
    await this.data(this.streams.stdout.isTTY === true ? plainText(text) : text);
  }

  /** Writes one value as one line of JSON. */
  async json(value: unknown): Promise<void> {
    await this.data(`${plainJson(value)}\n`);
  }

  /** Writes a line for a person; nothing with `--json`. */
  note(text: string): void {
    if (!this.isJson) this.report(`${text}\n`);
  }

  /** Writes something that may go wrong: a line, or with `--json` one object per line. */
  warn({ message, hint }: Warning): void {
    if (this.isJson) this.report(`${plainJson({ warning: { message, hint } })}\n`);
    else this.note(plainLine(`Warning: ${message}. ${hint ?? ''}`.trimEnd()));
  }

  /** Shows an error as `renderError`. `subject`: which of several things failed. */
  fail(error: unknown, subject?: string): void {
    this.report(renderError(error, this.view, subject));
  }

  /** Writes whole lines for the user, or for a program that watches. */
  report(text: string): void {
    this.streams.stderr.write(text);
  }

  /** Whether the user sees both streams on one screen: a line of data between bars would be overwritten. */
  get isOneScreen(): boolean {
    return this.streams.stdout.isTTY === true && this.screen !== undefined;
  }

  /** Columns of the terminal that shows the data; undefined if data goes elsewhere. */
  get columns(): number | undefined {
    const { isTTY, columns } = this.streams.stdout;
    return isTTY === true && columns !== undefined && columns > 0 ? columns : undefined;
  }

  /** The stream for a progress bar, if it can be drawn. */
  get screen(): Screen | undefined {
    const isPlain = this.isJson || this.options.plain === true;
    return this.streams.stderr.isTTY === true && !isPlain ? this.streams.stderr : undefined;
  }
}

/** Resolves once everything that was written to the streams has left them, or can't any more. */
export async function written(streams: readonly Writable[]): Promise<void> {
  await Promise.all(streams.map(writtenOne));
}

function writtenOne(stream: Writable): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('close', resolve);
    // Called after all earlier writes, also if they failed; their errors are reported by the stream.
    stream.write('', () => resolve());
  });
}

const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

/** A terminal that lines can be drawn on. */
export type Screen = Writable & { readonly columns?: number; readonly rows?: number };

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * Lines at the bottom of a terminal. `draw` draws them again. Printed text, without its last line break, goes above them
 * and stays. `render` makes the lines for the terminal's current size. Anything that doesn't fit is cut.
 */
export function createLiveLines(screen: Screen, render: (size: ScreenSize) => readonly string[]) {
  let drawn: readonly string[] = [];
  const redraw = (above = ''): void => {
    const { columns, rows } = sizeOf(screen);
    // A terminal that became narrower has wrapped the drawn lines.
    const drawnRows = drawn.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / columns)),
      0,
    );
    const erase = drawnRows === 0 ? '\r' : `\r\x1b[${Math.min(drawnRows, rows)}A\x1b[J`;
    // One column and one row less: the cursor is below, and no terminal wraps or scrolls by itself.
    const size = { columns: columns - 1, rows: rows - 1 };
    drawn = render(size)
      .slice(0, size.rows)
      .map((line) => cutText(line, size.columns));
    screen.write(erase + above + drawn.map((line) => `${line}\n`).join(''));
  };
  return { print: (text: string) => redraw(`${text}\n`), draw: () => redraw() };
}

/** A pseudo-terminal without a size reports 0. */
function sizeOf({ columns = 0, rows = 0 }: Screen): ScreenSize {
  return { columns: columns > 1 ? columns : DEFAULT_COLUMNS, rows: rows > 1 ? rows : DEFAULT_ROWS };
}

/** Something that may go wrong, and what to do about it. */
interface Warning {
  /** A phrase or sentence without its period. */
  readonly message: string;
  readonly hint?: string | undefined;
}
