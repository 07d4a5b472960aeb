import { Writable } from 'node:stream';
import { systemClock } from '../../api/clock';
import type { CliContext } from '../../cli/context';
import { Interrupts } from '../../cli/interrupts';
import { Terminal } from '../../cli/output/terminal';

type StreamName = 'stdout' | 'stderr';

interface ContextOptions extends Partial<Omit<CliContext, 'terminal'>> {
  /** The streams that are a terminal. Default: none. */
  readonly terminals?: readonly StreamName[];
  readonly columns?: number | undefined;
  /** Gets what goes to either stream. */
  readonly onWrite?: (text: string) => void;
}

/** What a command gets from its process, with nothing in the environment. Its output is kept. */
export function cliContext({ terminals = [], columns, onWrite, ...given }: ContextOptions = {}) {
  const written = { stdout: '', stderr: '' };
  const stream = (name: StreamName) => {
    const into = new Writable({
      write(chunk, _encoding, done) {
        written[name] += String(chunk);
        onWrite?.(String(chunk));
        done();
      },
    });
    const size = columns === undefined ? {} : { columns };
    return Object.assign(into, { isTTY: terminals.includes(name), ...size });
  };
  return {
    written,
    context: {
      terminal: new Terminal({ stdout: stream('stdout'), stderr: stream('stderr') }),
      interrupts: new Interrupts(() => undefined),
      cwd: '/',
      clock: systemClock,
      env: {},
      ...given,
    },
  };
}
