/**
 * Ctrl-C as two signals. `first` aborts at the first one: a command stops, an upload detaches, a worker drains. A command
 * that has something better to do at the second one than to end at once takes it with `takeSecond`.
 */
export class Interrupts {
  private readonly firstPress = new AbortController();
  private readonly secondPress = new AbortController();
  private secondIsTaken = false;
  private presses = 0;

  /** `end` ends the process; called when there is nothing left to wait for. */
  constructor(private readonly end: () => void) {}

  get first(): AbortSignal {
    return this.firstPress.signal;
  }

  takeSecond(): AbortSignal {
    this.secondIsTaken = true;
    return this.secondPress.signal;
  }

  press(): void {
    this.presses += 1;
    if (this.presses === 1) this.firstPress.abort(new Interrupted());
    else if (this.presses === 2 && this.secondIsTaken) this.secondPress.abort(new Interrupted());
    else this.end();
  }
}

/** The reason of an abort by Ctrl-C or SIGTERM. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  constructor() {
    super('Interrupted.');
  }
}
