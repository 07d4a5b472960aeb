import { adviceText } from '../errors/what-to-do';
import type { Settings } from '../../settings/settings';
import type { TemporalConnection } from '../../temporal/client/connect';
import { noWorker, unservedQueues } from '../../temporal/client/unserved-queues';
import { DEFAULT_QUEUE_PREFIX } from '../../temporal/contract/upload';
import { plainLine } from '../output/plain-text';
import type { Terminal } from '../output/terminal';

interface Waiting {
  readonly terminal: Terminal;
  readonly connection: TemporalConnection;
  readonly settings: Settings;
  /** The accounts of the waiting batches. */
  readonly accountIds: ReadonlySet<string>;
  /** What waits for a worker: a full sentence. */
  readonly waits: string;
}

/** Reports on stderr which accounts have no worker: their queues, what waits for a worker, and what to do. */
export async function noteNoWorker({
  terminal,
  connection,
  settings,
  accountIds,
  waits,
}: Waiting): Promise<void> {
  const { queuePrefix = DEFAULT_QUEUE_PREFIX } = settings;
  for (const accountId of accountIds) {
    for (const unserved of await unservedQueues(connection, { queuePrefix, accountId, hosts: [] })) {
      const { message, facts } = noWorker(unserved);
      const hint = adviceText(facts);
      terminal.note(plainLine(`${message} ${waits}`));
      if (hint !== undefined) terminal.note(plainLine(`What to do: ${hint}`));
    }
  }
}
