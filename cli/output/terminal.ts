import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { highlight } from './highlight';
import type { Screen } from './live-lines';
import { plainJson, plainText } from './plain-text';

export interface TerminalStreams {
  readonly stdout: Writable & Colours;
  readonly stderr: Screen & Colours;
}

/** As streams of terminals have it. */
interface Colours {
  readonly isTTY?: boolean;
  readonly columns?: number;
  hasColors?(): boolean;
}

/** The two streams of a command: data on stdout, everything else on stderr. */
export class Terminal {
  /** True: the command serves others, and goes on without a reader of stdout, whose data is dropped. */
  outlivesReaders = false;

  /** `plain`: nothing is drawn over, also where stderr is a terminal. */
  constructor(
    private readonly streams: TerminalStreams,
    private readonly options: { readonly plain?: boolean } = {},
  ) {}

  /** Text as data; a terminal gets it in colours. Waits while the reader is slower than we are. */
  async data(text: string): Promise<void> {
    await this.write(this.hasColours(this.streams.stdout) ? highlight(text) : text);
  }

  /** Data that came from elsewhere: a terminal gets it without control characters, a file or a program unchanged. */
  async remoteData(text: string): Promise<void> {
    await this.write(this.streams.stdout.isTTY === true ? plainText(text) : text);
  }

  /** One value as one line of JSON. */
  async json(value: unknown): Promise<void> {
    await this.write(`${plainJson(value)}\n`);
  }

  /** A line for the person who watches. */
  note(text: string): void {
    this.report(`${text}\n`);
  }

  /** Text that is already whole lines, for the person or program that watches. */
  report(text: string): void {
    const isJson = text.startsWith('{');
    this.streams.stderr.write(this.hasColours(this.streams.stderr) && !isJson ? highlight(text) : text);
  }

  /** Both streams are shown to the person who watches: a line of data written between bars would be drawn over. */
  get isOneScreen(): boolean {
    return this.streams.stdout.isTTY === true && this.screen !== undefined;
  }

  /** Columns of the terminal that data is shown on; undefined if data goes elsewhere. */
  get columns(): number | undefined {
    const { isTTY, columns } = this.streams.stdout;
    return isTTY === true && columns !== undefined && columns > 0 ? columns : undefined;
  }

  /** Where a progress bar may be drawn. */
  get screen(): Screen | undefined {
    return this.streams.stderr.isTTY === true && this.options.plain !== true
      ? this.streams.stderr
      : undefined;
  }

  private async write(text: string): Promise<void> {
    if (!this.streams.stdout.write(text)) await once(this.streams.stdout, 'drain');
  }

  private hasColours(stream: Colours): boolean {
    return stream.isTTY === true && this.options.plain !== true && stream.hasColors?.() === true;
  }
}
