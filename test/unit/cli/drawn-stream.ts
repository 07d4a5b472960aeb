import { Writable } from 'node:stream';
import { createTerminalScreen } from '../../support/terminal-screen';

/** A stream that a terminal of this size shows. `settled` resolves once everything written so far is shown. */
export function drawnStream(columns: number, rows = 24) {
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
