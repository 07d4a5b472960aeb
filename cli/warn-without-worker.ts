import { adviceText, whatToDoAbout } from './errors/what-to-do';
import { MediaServiceError } from '../api/errors';
import type { TemporalConnection } from '../temporal/client/connect';
import { startedWithoutWorker, unservedQueues } from '../temporal/client/unserved-queues';
import type { WorkerNeed } from '../temporal/client/living-workers';
import type { Terminal } from './output/terminal';
import { warn } from './output/warning';

export interface Started {
  readonly need: WorkerNeed;
  /**
   * Returns what waits, such as `The upload starts`. Undefined: nothing waits, because it had ended before. Called only
   * if there is no worker.
   */
  readonly starts: () => Promise<string | undefined>;
  /** This machine's name. */
  readonly here: string;
  readonly json: boolean;
}

/**
 * Warns about each queue without a worker, after something was started that waits for it. If that can't be checked, it
 * warns too.
 */
export async function warnWithoutWorker(
  terminal: Terminal,
  connection: TemporalConnection,
  { need, starts, here, json }: Started,
): Promise<void> {
  try {
    const unserved = await unservedQueues(connection, need);
    const waiting = unserved.length === 0 ? undefined : await starts();
    if (waiting === undefined) return;
    for (const queue of unserved) {
      const { message, ...advice } = startedWithoutWorker(queue, { starts: waiting, here });
      warn(terminal, { message, hint: adviceText(advice) }, json);
    }
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    const message = `can't check whether a worker is running: ${error.message.replace(/\.$/, '')}`;
    warn(terminal, { message, hint: whatToDoAbout(error) }, json);
  }
}
