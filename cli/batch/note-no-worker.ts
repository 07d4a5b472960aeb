import type { Settings } from '../../settings/settings';
import type { TemporalConnection } from '../../temporal/client/connect';
import { noWorker, unservedQueues } from '../../temporal/client/unserved-queues';
import { DEFAULT_QUEUE_PREFIX } from '../../temporal/contract';
import { plainLine } from '../output/plain-text';
import type { Terminal } from '../output/terminal';

interface Waiting {
  readonly terminal: Terminal;
  readonly connection: TemporalConnection;
  readonly settings: Settings;
  /** Of the batches that wait. */
  readonly accountIds: ReadonlySet<string>;
  /** What waits for a worker: a full sentence. */
  readonly waits: string;
}

/** Says on stderr of which account no worker lives, with its queue, what waits for one, and what to do. */
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
      terminal.note(plainLine(`${message} ${waits}`));
      if (facts.hint !== undefined) terminal.note(plainLine(`What to do: ${facts.hint}`));
    }
  }
}
