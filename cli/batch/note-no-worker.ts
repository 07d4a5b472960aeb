import type { Settings } from '../../settings/settings';
import type { TemporalConnection } from '../../temporal/client/connect';
import { noWorker, pollersOf } from '../../temporal/client/pollers';
import { controlQueue, DEFAULT_QUEUE_PREFIX } from '../../temporal/contract';
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

/** Says on stderr which queue nobody polls and what to do, where that is so; with a note that the batches wait. */
export async function noteNoWorker({
  terminal,
  connection,
  settings,
  accountIds,
  waits,
}: Waiting): Promise<void> {
  for (const accountId of accountIds) {
    const queue = controlQueue(settings.queuePrefix ?? DEFAULT_QUEUE_PREFIX, accountId);
    if ((await pollersOf(connection, queue)).length > 0) continue;
    const { message, facts } = noWorker(queue);
    terminal.note(plainLine(`${message} ${waits}`));
    if (facts.hint !== undefined) terminal.note(plainLine(`What to do: ${facts.hint}`));
  }
}
