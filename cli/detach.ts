import type { CliContext } from './context';
import { ReportedFailure, EXIT_CODES } from './exit-codes';
import { isCtrlC } from './interrupts';

/** Work that continues in Temporal while a command watches it. */
interface DurableWork {
  readonly noun: 'upload' | 'batch';
  /** As the arguments of `watch` and `cancel` name it. */
  readonly ids: readonly string[];
  /** Commands before an id. */
  readonly watch: string;
  readonly cancel: string;
  readonly json: boolean;
}

/**
 * Called after a signal to stop. The work continues: only a typed command cancels it. SIGTERM needs no message, because
 * no person sent it. Throws `ReportedFailure` with the exit code of an interrupt.
 */
export function detach(
  { terminal, interrupts }: Pick<CliContext, 'terminal' | 'interrupts'>,
  { noun, ids, watch, cancel, json }: DurableWork,
): never {
  if (isCtrlC(interrupts.first) && !json)
    terminal.note(
      [
        `Detached: the ${noun} continues without this terminal. Watch it again, or cancel it, with`,
        ...ids.flatMap((id) => [`  ${watch} ${id}`, `  ${cancel} ${id}`]),
      ].join('\n'),
    );
  throw new ReportedFailure(EXIT_CODES.INTERRUPTED.code);
}
