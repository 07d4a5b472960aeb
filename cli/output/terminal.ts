import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { highlight } from './highlight';
import type { Screen } from './live-lines';
import { plainJson, plainText } from './plain-text';

interface TerminalStreams {
  readonly stdout: Writable & Colours;
  readonly stderr: Screen & Colours;
}

/** The properties of a terminal's stream. */
interface Colours {
  readonly isTTY?: boolean;
  readonly columns?: number;
  hasColors?(): boolean;
}

/** The two streams of a command: data on stdout, everything else on stderr. */
export class Terminal {
  /** True: the command serves others, and continues without a reader of stdout. Its data is then dropped. */
  outlivesReaders = false;

  /** `plain`: nothing is redrawn, even if stderr is a terminal. */
  constructor(
    private readonly streams: TerminalStreams,
    private readonly options: { readonly plain?: boolean } = {},
  ) {}

  /** Writes text as data, in colours on a terminal. Waits while the reader is slower. */
  async data(text: string): Promise<void> {
    await this.write(this.hasColours(this.streams.stdout) ? highlight(text) : text);
  }

  /** Writes data from elsewhere: without control characters on a terminal, unchanged to a file or a program. */
  async remoteData(text: string): Promise<void> {
    await this.write(this.streams.stdout.isTTY === true ? plainText(text) : text);
  }

  /** Writes one value as one line of JSON. */
  async json(value: unknown): Promise<void> {
    await this.write(`${plainJson(value)}\n`);
  }

  /** Writes a line for the user. */
  note(text: string): void {
    this.report(`${text}\n`);
  }

  /** Writes whole lines for the user, or for a program that watches. */
  report(text: string): void {
    const isJson = text.startsWith('{');
    this.streams.stderr.write(this.hasColours(this.streams.stderr) && !isJson ? highlight(text) : text);
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
