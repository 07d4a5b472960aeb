import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Screen } from './live-lines';
import { plainJson, plainText } from './plain-text';

export interface TerminalStreams {
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Screen & { readonly isTTY?: boolean };
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

  /** Data, as it is. Waits while the reader is slower than we are. */
  async data(text: string): Promise<void> {
    if (!this.streams.stdout.write(text)) await once(this.streams.stdout, 'drain');
  }

  /** Data that came from elsewhere: a terminal gets it without control characters, a file or a program unchanged. */
  async remoteData(text: string): Promise<void> {
    await this.data(this.streams.stdout.isTTY === true ? plainText(text) : text);
  }

  /** One value as one line of JSON. */
  async json(value: unknown): Promise<void> {
    await this.data(`${plainJson(value)}\n`);
  }

  /** A line for the person who watches. */
  note(text: string): void {
    this.streams.stderr.write(`${text}\n`);
  }

  /** Text that is already whole lines, for the person or program that watches. */
  report(text: string): void {
    this.streams.stderr.write(text);
  }

  /** Both streams are shown to the person who watches: a line of data written between bars would be drawn over. */
  get isOneScreen(): boolean {
    return this.streams.stdout.isTTY === true && this.screen !== undefined;
  }

  /** Where a progress bar may be drawn. */
  get screen(): Screen | undefined {
    return this.streams.stderr.isTTY === true && this.options.plain !== true
      ? this.streams.stderr
      : undefined;
  }
}
