import { MediaServiceError } from '../api/errors';
import type { TemporalConnection } from '../temporal/client/connect';
import { startedWithoutWorker, unservedQueues } from '../temporal/client/unserved-queues';
import type { WorkerNeed } from '../temporal/client/worker-need';
import type { Terminal } from './output/terminal';
import { warn } from './output/warning';

export interface Started {
  readonly need: WorkerNeed;
  /** What waits, as `The upload starts`; undefined: nothing does, since it had ended before. Asked only if no worker is there. */
  readonly starts: () => Promise<string | undefined>;
  /** This machine's name. */
  readonly here: string;
  readonly json: boolean;
}

/** Warns of each queue that no worker serves, after something was started that waits for it. What can't be seen is a warning, too. */
export async function warnWithoutWorker(
  terminal: Terminal,
  connection: TemporalConnection,
  { need, starts, here, json }: Started,
): Promise<void> {
  try {
    const unserved = await unservedQueues(connection, need);
    const waiting = unserved.length === 0 ? undefined : await starts();
    if (waiting === undefined) return;
    for (const queue of unserved)
      warn(terminal, startedWithoutWorker(queue, { starts: waiting, here }), json);
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    const message = `whether a worker is there can't be seen: ${error.message.replace(/\.$/, '')}`;
    warn(terminal, { message, hint: error.facts.hint }, json);
  }
}
