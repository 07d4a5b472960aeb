import { adviceText, whatToDoAbout } from './errors/what-to-do';
import { MediaServiceError } from '../api/errors';
import type { TemporalConnection } from '../temporal/client/connect';
import { startedWithoutWorker, unservedQueues } from '../temporal/client/unserved-queues';
import { distinctHosts } from '../temporal/client/living-workers';
import type { WorkerNeed } from '../temporal/client/living-workers';
import type { Terminal } from './output/terminal';

interface Started {
  /** What was started needs all of these workers, of one account. */
  readonly needs: readonly WorkerNeed[];
  /** What waits for a worker: `The upload starts`. */
  readonly starts: string;
}

/**
 * Warns about each queue without a worker, after something was started that waits for it. If that can't be checked, it
 * warns too.
 */
export async function warnWithoutWorker(
  terminal: Terminal,
  connection: TemporalConnection,
  { needs, starts }: Started,
): Promise<void> {
  const [first] = needs;
  if (first === undefined) return;
  const need = { ...first, hosts: distinctHosts(needs.flatMap(({ hosts }) => hosts)) };
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
