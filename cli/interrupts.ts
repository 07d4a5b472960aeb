import type { Terminal } from './output/terminal';
import type { Named } from './watch/progress-view';
import { EXIT_CODES, ReportedFailure } from './exit-codes';

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

/** Returns the exit code of a command that a signal ended: 128 and the number of the signal. */
export function interruptCode(signal: AbortSignal): number {
  return EXIT_CODES[isCtrlC(signal) ? 'INTERRUPTED' : 'TERMINATED'].code;
}

interface Detached {
  readonly noun: 'upload' | 'batch';
  readonly running: readonly Named[];
}

/**
 * Called after a signal to stop. What is watched continues: only a typed command cancels it. SIGTERM needs no message,
 * because no person sent it. Throws `ReportedFailure` with the exit code of an interrupt.
 */
export async function detach(
  { terminal, interrupts }: { readonly terminal: Terminal; readonly interrupts: Interrupts },
  { noun, running }: Detached,
): Promise<never> {
  const group = `media-service ${noun === 'batch' ? 'batches' : 'uploads'}`;
  for (const { id: workflowId, name } of terminal.isJson ? running : [])
    await terminal.json({ ...(noun === 'upload' ? { file: name } : {}), workflowId, state: 'detached' });
  if (isCtrlC(interrupts.first))
    terminal.note(
      [
        `Detached: the ${noun} continues without this terminal. Watch it again, or cancel it, with`,
        ...running
          .map(({ id, name }) => (noun === 'batch' ? name : id))
          .flatMap((id) => [`  ${group} wait ${id}`, `  ${group} cancel ${id}`]),
      ].join('\n'),
    );
  throw new ReportedFailure(interruptCode(interrupts.first));
}
