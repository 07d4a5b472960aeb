import type { StopSignal } from '../../../cli/interrupts';

/** A signal, and when it is sent. */
export type Sent = readonly [atMs: number, signal: StopSignal];

/** `INT TERM+800`: a SIGINT at once, and a SIGTERM at 800 ms. */
export function signalsOf(text: string): Sent[] {
  return text.split(' ').map((word) => {
    const [signal, at = '0'] = word.split('+');
    return [Number(at), signal === 'TERM' ? 'SIGTERM' : 'SIGINT'];
  });
}
