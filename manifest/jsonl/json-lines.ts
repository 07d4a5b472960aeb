import { isUtf8 } from 'node:buffer';
import { GrowingBytes } from '../growing-bytes';

export interface JsonLine {
  readonly line: number;
  /** Undefined if the line can't be read as text. */
  readonly text?: string;
  readonly flaw?: { readonly message: string; readonly hint: string };
}

const LF = 0x0a;

/**
 * Cuts bytes into lines (LF or CRLF) and skips blank ones. It reports a line that is too long or no UTF-8 with its
 * number, and continues after it. Memory: one line of at most `maxLineBytes`. The caller may reuse a chunk once `scan`
 * has returned.
 */
export class LineScanner {
  private line = 1;
  private readonly kept = new GrowingBytes();
  private bytes = 0;
  private lines: JsonLine[] = [];

  constructor(private readonly maxLineBytes: number) {}

  scan(chunk: Uint8Array): JsonLine[] {
    this.lines = [];
    let from = 0;
    for (let to = chunk.indexOf(LF); to !== -1; to = chunk.indexOf(LF, from)) {
      this.keep(chunk, from, to);
      this.endLine();
      from = to + 1;
    }
    this.keep(chunk, from, chunk.length);
    return this.lines;
  }

  /** Returns the last line if no line end follows it. */
  end(): JsonLine[] {
    this.lines = [];
    this.endLine();
    return this.lines;
  }

  private keep(chunk: Uint8Array, from: number, to: number): void {
    this.bytes += to - from;
    if (this.bytes > this.maxLineBytes) this.kept.clear();
    else this.kept.append(chunk, from, to);
  }

  private endLine(): void {
    const { line } = this;
    if (this.bytes > this.maxLineBytes) {
      const message = `the row has more than ${String(this.maxLineBytes)} bytes`;
      const hint = 'Keep large data elsewhere and put its address into the metadata.';
      this.lines.push({ line, flaw: { message, hint } });
    } else this.pushText(this.kept.view());
    this.kept.clear();
    this.bytes = 0;
    this.line += 1;
  }

  private pushText(bytes: Buffer): void {
    const { line } = this;
    if (!isUtf8(bytes)) {
      this.lines.push({
        line,
        flaw: { message: 'the row is not valid UTF-8', hint: 'Save the manifest as UTF-8.' },
      });
      return;
    }
    const text = bytes.toString('utf8');
    if (text.trim() !== '') this.lines.push({ line, text });
  }
}
