import { adviceText, whatToDoAbout } from './errors/what-to-do';
import { MediaServiceError } from '../api/errors';
import type { TemporalConnection } from '../temporal/client/connect';
import { startedWithoutWorker, unservedQueues } from '../temporal/client/unserved-queues';
import { distinctHosts } from '../temporal/client/living-workers';
import type { WorkerNeed } from '../temporal/client/living-workers';
import type { Terminal } from './output/terminal';

export interface Started {
  readonly need: WorkerNeed;
  /** What waits for a worker: `The upload starts`. */
  readonly starts: string;
}

/** The workers that several uploads of one account need together. */
export function neededTogether(first: WorkerNeed, others: readonly WorkerNeed[]): WorkerNeed {
  return { ...first, hosts: distinctHosts([first, ...others].flatMap((need) => need.hosts)) };
}

/**
 * Warns about each queue without a worker, after something was started that waits for it. If that can't be checked, it
 * warns too.
 */
export async function warnWithoutWorker(
  terminal: Terminal,
  connection: TemporalConnection,
  { need, starts }: Started,
): Promise<void> {
  try {
    for (const queue of await unservedQueues(connection, need)) {
      const { message, ...advice } = startedWithoutWorker(queue, starts);
      terminal.warn({ message, hint: adviceText(advice) });
    }
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    const message = `can't check whether a worker is running: ${error.message.replace(/\.$/, '')}`;
    terminal.warn({ message, hint: whatToDoAbout(error) });
  }
}
