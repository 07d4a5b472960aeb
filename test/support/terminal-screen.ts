import { Terminal } from '@xterm/headless';

export type TerminalScreen = ReturnType<typeof createTerminalScreen>;

/**
 * What a terminal of this size would show. `convertEol`: a line feed also returns the carriage, for a system without a
 * terminal driver that does it.
 */
export function createTerminalScreen(columns: number, { rows = 24, convertEol = true } = {}) {
  const size = { cols: columns, rows, scrollback: 10_000 };
  const terminal = new Terminal({ ...size, convertEol, allowProposedApi: true });
  const buffer = terminal.buffer.active;
  const all = () =>
    Array.from({ length: buffer.length }, (_unused, index) => {
      const line = buffer.getLine(index);
      return { text: line?.translateToString(true) ?? '', isWrapped: line?.isWrapped ?? false };
    });
  const trimmed = (lines: string[]): string[] =>
    lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
  return {
    write: (text: string) => new Promise<void>((done) => terminal.write(text, done)),
    /** Rows of the terminal, wrapped at its width. */
    rows: () => trimmed(all().map(({ text }) => text)),
    /** Every line, also those that scrolled out, without empty ones at the end. A wrapped line is one line. */
    lines(): string[] {
      const lines: string[] = [];
      for (const { text, isWrapped } of all()) {
        if (isWrapped) lines.push(`${lines.pop() ?? ''}${text}`);
        else lines.push(text);
      }
      return trimmed(lines);
    },
  };
}
