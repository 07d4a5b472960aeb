/** A signal from a terminal (Ctrl-C), a supervisor or another program that stops a command. */
export type StopSignal = 'SIGINT' | 'SIGTERM';

/**
 * Signals that follow faster than this count as one stop. For one Ctrl-C, a program gets the terminal's signal and
 * another one from its wrapper, such as `npx`.
 */
const SAME_STOP_MS = 500;

/**
 * Handles the signals to stop. `first` aborts at the first one: a command stops, an upload detaches, a worker drains. A
 * second Ctrl-C ends the process. SIGTERM never ends the process by force, however often it comes.
 */
export class Interrupts {
  private readonly firstStop = new AbortController();
  private lastAt: number | undefined;

  /** `end` ends the process when Ctrl-C comes again. `now`: ms of a clock that never jumps. */
  constructor(
    private readonly end: () => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The reason is an `Interrupted`. */
  get first(): AbortSignal {
    return this.firstStop.signal;
  }

  stop(signal: StopSignal): void {
    const at = this.now();
    if (this.lastAt !== undefined && at - this.lastAt < SAME_STOP_MS) return;
    this.lastAt = at;
    if (!this.first.aborted) this.firstStop.abort(new Interrupted(signal));
    else if (signal === 'SIGINT') this.end();
  }
}

/** The reason of an abort by Ctrl-C or SIGTERM. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  constructor(readonly signal: StopSignal) {
    super('Interrupted.');
  }
}

/** Returns whether Ctrl-C aborted the signal. */
export function isCtrlC({ reason }: AbortSignal): boolean {
  return reason instanceof Interrupted && reason.signal === 'SIGINT';
}
