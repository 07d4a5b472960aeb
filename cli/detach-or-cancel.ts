import type { CliContext } from './context';
import { isCtrlC, SAME_STOP_MS } from './interrupts';

/** How long after the first Ctrl-C a second one turns "detach" into "cancel". */
const SECOND_THOUGHTS_MS = 2_500;

/** What goes on in Temporal while a command watches it. */
export interface DurableWork {
  readonly noun: 'upload' | 'batch';
  /** Commands that show it again. */
  readonly seeAgain: readonly string[];
  readonly json: boolean;
  /** Of `takeSecond`. */
  readonly second: AbortSignal;
  cancel(): Promise<unknown>;
}

/**
 * After the first signal to stop: the work goes on, unless it was Ctrl-C and a second Ctrl-C follows soon, which cancels the work. SIGTERM detaches at once, without a
 * word, since no person sent it; it cancels nothing, also when it comes second.
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
  const wait = (ms: number): Promise<void> => clock.sleep(ms, second).catch(() => undefined);
  await wait(SAME_STOP_MS);
  if (!second.aborted) note('Press Ctrl-C again now to cancel it.');
  await wait(SECOND_THOUGHTS_MS - SAME_STOP_MS);
  if (!isCtrlC(second)) return 'detached';
  await work.cancel();
  return 'cancelling';
}
