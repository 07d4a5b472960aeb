import { mapInOrder } from '../api/map-in-order';
import { renderError, type ErrorView } from './errors/render-error';
import { EXIT_CODES, exitCodeOf } from './exit-codes';
import type { Terminal } from './output/terminal';

const CALLS_AT_ONCE = 16;

interface ControlEach {
  readonly view: ErrorView;
  readonly control: (id: string) => Promise<void>;
  /** Prints that it was done. */
  readonly done: (id: string) => Promise<void>;
}

export interface Controlled {
  readonly done: readonly string[];
  /** Exit code of the first refused one. */
  readonly failure?: number;
}

/**
 * Controls uploads, batches or schedules, and prints them in their order. A refused one (it has ended, or nobody knows
 * it) is reported and does not stop the others. Rejects if no request is possible, for example because Temporal is
 * unreachable.
 */
export async function controlEach(
  terminal: Terminal,
  ids: readonly string[],
  { view, control, done }: ControlEach,
): Promise<Controlled> {
  const ended: string[] = [];
  let failure: number | undefined;
  const outcomes = mapInOrder(new Set(ids), CALLS_AT_ONCE, async (id) => ({
    id,
    error: await control(id).then(
      () => undefined,
      (reason: unknown) => ({ reason }),
    ),
  }));
  for await (const { id, error } of outcomes) {
    if (error === undefined) {
      ended.push(id);
      await done(id);
      continue;
    }
    const code = exitCodeOf(error.reason);
    if (code !== EXIT_CODES.SERVICE.code) throw error.reason;
    failure ??= code;
    terminal.report(renderError(error.reason, view));
  }
  return { done: ended, ...(failure === undefined ? {} : { failure }) };
}
