import { Writable } from 'node:stream';
import { createTerminalScreen, type TerminalScreen } from '../../support/terminal-screen';

interface Drawing {
  readonly screen: TerminalScreen;
  readonly stream: Writable & { readonly columns: number; readonly rows: number };
  /** Resolves once everything written so far is shown. */
  readonly settled: () => Promise<void>;
}

/** A stream that a terminal of this size shows. */
export function drawnStream(columns: number, rows = 24): Drawing {
  const screen = createTerminalScreen(columns, { rows });
  let written = Promise.resolve();
  const into = new Writable({
    write(chunk, _encoding, done) {
      written = screen.write(String(chunk));
      done();
    },
  });
  const stream = Object.assign(into, { columns, rows });
  return { screen, stream, settled: () => written };
}
