import type { CliContext } from './context';
import { isCtrlC, SAME_STOP_MS } from './interrupts';

/** How long after the first Ctrl-C a second one turns "detach" into "cancel". */
const SECOND_THOUGHTS_MS = 2_500;

/** Work that continues in Temporal while a command watches it. */
interface DurableWork {
  readonly noun: 'upload' | 'batch';
  /** Commands that show the work again. */
  readonly seeAgain: readonly string[];
  readonly json: boolean;
  /** The signal of `takeSecond`. */
  readonly second: AbortSignal;
  cancel(): Promise<unknown>;
}

/**
 * Called after the first signal to stop. The work continues, unless the signal was Ctrl-C and a second Ctrl-C follows
 * soon, which cancels it. SIGTERM detaches at once and without a message, because no person sent it. It never cancels,
 * even as the second signal.
 */
export async function detachOrCancel(
  { terminal, clock, interrupts }: Pick<CliContext, 'terminal' | 'clock' | 'interrupts'>,
  { noun, seeAgain, json, second, ...work }: DurableWork,
): Promise<'detached' | 'cancelling'> {
  const note = (text: string): void => {
    if (!json) terminal.note(text);
  };
  if (!isCtrlC(interrupts.first)) return 'detached';
  note(`Detached: the ${noun} continues without this terminal. Watch it again with`);
  for (const command of seeAgain) note(`  ${command}`);
  // A second Ctrl-C ends the wait; the code below checks it.
  const wait = (ms: number): Promise<void> => clock.sleep(ms, second).catch(() => undefined);
  await wait(SAME_STOP_MS);
  if (!second.aborted) note('Press Ctrl-C again now to cancel it.');
  await wait(SECOND_THOUGHTS_MS - SAME_STOP_MS);
  if (!isCtrlC(second)) return 'detached';
  await work.cancel();
  return 'cancelling';
}
