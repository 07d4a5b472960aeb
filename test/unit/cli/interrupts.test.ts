import { Interrupted, Interrupts, isCtrlC } from '../../../cli/interrupts';
import type { StopSignal } from '../../../cli/interrupts';

/** The result of signals such as `INT TERM+800`: a SIGINT at once, and a SIGTERM at 800 ms. */
function sent(signals: string) {
  let [ended, now] = [0, 0];
  const interrupts = new Interrupts(
    () => {
      ended += 1;
    },
    () => now,
  );
  for (const word of signals.split(' ')) {
    const [signal, at = '0'] = word.split('+');
    now = Number(at);
    interrupts.stop(signal === 'TERM' ? 'SIGTERM' : 'SIGINT');
  }
  const reasonOf = ({ reason }: AbortSignal): StopSignal | undefined =>
    reason instanceof Interrupted ? reason.signal : undefined;
  return { first: reasonOf(interrupts.first), ended };
}

test.each<[what: string, signals: string, ended: number]>([
  ['stops at the first Ctrl-C', 'INT', 0],
  ['takes Ctrl-C within half a second for the same one, as wrappers send it', 'INT INT+5 INT+499', 0],
  ['ends at once at a later one', 'INT INT+500', 1],
  ['ends at once at a Ctrl-C after SIGTERM', 'TERM INT+3000', 1],
  ['is asked again by each SIGTERM, and never made to end by it', 'TERM TERM+1000 TERM+60000', 0],
  ['takes a Ctrl-C right after a SIGTERM for the same stop', 'INT TERM+1000 INT+1100', 0],
])('a command %s: %s', (_what, signals, ended) => {
  expect(sent(signals)).toEqual({ first: signals.startsWith('TERM') ? 'SIGTERM' : 'SIGINT', ended });
});

test('an abort for another reason is not taken for Ctrl-C', () => {
  expect(isCtrlC(AbortSignal.abort(new Interrupted('SIGINT')))).toBe(true);
  expect(isCtrlC(AbortSignal.abort(new Interrupted('SIGTERM')))).toBe(false);
  expect(isCtrlC(AbortSignal.abort())).toBe(false);
  expect(isCtrlC(new AbortController().signal)).toBe(false);
});
