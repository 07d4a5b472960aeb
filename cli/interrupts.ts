/** What a terminal (Ctrl-C), a supervisor or another program sends to stop a command. */
export type StopSignal = 'SIGINT' | 'SIGTERM';

/**
 * Signals that come sooner are one and the same stop: for one Ctrl-C a program gets the terminal's signal and once more that of the
 * wrapper that started it, as `npx` does.
 */
export const SAME_STOP_MS = 500;

/**
 * The signals to stop. `first` aborts at the first one: a command stops, an upload detaches, a worker drains. A command that has something
 * better to do at the second one than to end at once takes it with `takeSecond`. SIGTERM asks however often it comes; only Ctrl-C insists.
 */
export class Interrupts {
  private readonly firstStop = new AbortController();
  private readonly secondStop = new AbortController();
  private secondIsTaken = false;
  private lastAt: number | undefined;

  /** `end` ends the process, when a Ctrl-C insists and there is nothing left to wait for. `now`: ms of a clock that never jumps. */
  constructor(
    private readonly end: () => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The reason is an `Interrupted`. */
  get first(): AbortSignal {
    return this.firstStop.signal;
  }

  /** Aborts at the second stop, be it Ctrl-C or SIGTERM: the reason, an `Interrupted`, tells. */
  takeSecond(): AbortSignal {
    this.secondIsTaken = true;
    return this.secondStop.signal;
  }

  stop(signal: StopSignal): void {
    const at = this.now();
    if (this.lastAt !== undefined && at - this.lastAt < SAME_STOP_MS) return;
    this.lastAt = at;
    if (!this.first.aborted) this.firstStop.abort(new Interrupted(signal));
    else if (this.secondIsTaken && !this.secondStop.signal.aborted)
      this.secondStop.abort(new Interrupted(signal));
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

/** Whether it was aborted by Ctrl-C. */
export function isCtrlC({ reason }: AbortSignal): boolean {
  return reason instanceof Interrupted && reason.signal === 'SIGINT';
}
