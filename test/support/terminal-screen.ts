import { Terminal } from '@xterm/headless';

/** What a terminal of this size would show. */
export interface TerminalScreen {
  write(text: string): Promise<void>;
  /**
   * Every line, including those that scrolled out. A line that the terminal wrapped is one line. Empty lines at the end
   * are left out.
   */
  lines(): string[];
  /** The same as rows of the terminal, wrapped at its width. */
  rows(): string[];
}

/** `convertEol`: a line feed also returns the carriage, for a system without a terminal driver that does it. */
export function createTerminalScreen(
  columns: number,
  { rows = 24, convertEol = true }: { readonly rows?: number; readonly convertEol?: boolean } = {},
): TerminalScreen {
  const terminal = new Terminal({
    cols: columns,
    rows,
    convertEol,
    scrollback: 10_000,
    allowProposedApi: true,
  });
  const buffer = terminal.buffer.active;
  const all = (): { readonly text: string; readonly isWrapped: boolean }[] =>
    Array.from({ length: buffer.length }, (_unused, index) => {
      const line = buffer.getLine(index);
      return { text: line?.translateToString(true) ?? '', isWrapped: line?.isWrapped ?? false };
    });
  const trimmed = (lines: string[]): string[] => {
    const last = lines.findLastIndex((line) => line !== '');
    return lines.slice(0, last + 1);
  };
  return {
    write: (text) => new Promise((done) => terminal.write(text, done)),
    rows: () => trimmed(all().map(({ text }) => text)),
    lines() {
      const lines: string[] = [];
      for (const { text, isWrapped } of all()) {
        if (isWrapped) lines.push(`${lines.pop() ?? ''}${text}`);
        else lines.push(text);
      }
      return trimmed(lines);
    },
  };
}
