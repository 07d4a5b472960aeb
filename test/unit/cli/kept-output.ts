import { Writable } from 'node:stream';
import { Terminal } from '../../../cli/output/terminal';

type Streams = ConstructorParameters<typeof Terminal>[0];
type Kind = Omit<Partial<Streams['stdout']>, keyof Writable>;

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

/** A stream whose text goes to `keep`. */
export function writableTo(keep: (text: string) => unknown): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      keep(String(chunk));
      done();
    },
  });
}
