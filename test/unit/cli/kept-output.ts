import { Writable } from 'node:stream';
import { Terminal } from '../../../cli/output/terminal';
import { createTerminalScreen, type TerminalScreen } from '../../support/terminal-screen';

type Streams = ConstructorParameters<typeof Terminal>[0];
type Kind = Omit<Partial<Streams['stdout']>, keyof Writable>;
type Sized = Writable & { readonly columns: number; readonly rows: number };

interface KeptOutput {
  readonly terminal: Terminal;
  readonly written: { stdout: string; stderr: string };
}

/** A terminal whose two streams keep what is written to them, and are no terminals unless their kind says so. */
export function keptOutput(
  kinds: Partial<Record<keyof Streams, Kind>> = {},
  options: { readonly plain?: boolean } = {},
): KeptOutput {
  const written = { stdout: '', stderr: '' };
  const kept = (name: keyof Streams): Writable =>
    Object.assign(
      writableTo((text) => (written[name] += text)),
      kinds[name],
    );
  return { terminal: new Terminal({ stdout: kept('stdout'), stderr: kept('stderr') }, options), written };
}

interface Drawing {
  readonly screen: TerminalScreen;
  readonly stream: Sized;
  /** Resolves once everything written so far is shown. */
  readonly settled: () => Promise<void>;
}

/** A stream that a terminal of this size shows. */
export function drawnStream(columns: number, rows = 24): Drawing {
  const screen = createTerminalScreen(columns, { rows });
  let written = Promise.resolve();
  const stream = Object.assign(
    writableTo((text) => (written = screen.write(text))),
    { columns, rows },
  );
  return { screen, stream, settled: () => written };
}

function writableTo(keep: (text: string) => unknown): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      keep(String(chunk));
      done();
    },
  });
}
