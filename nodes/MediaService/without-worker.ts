import type { IExecuteFunctions } from 'n8n-workflow';
import { MediaServiceError } from '../../api/errors';
import type { TemporalConnection } from '../../temporal/client/connect';
import { startedWithoutWorker, unservedQueues } from '../../temporal/client/unserved-queues';
import type { WorkerNeed } from '../../temporal/client/worker-need';

export interface StartedByNode {
  readonly need: WorkerNeed;
  /** What waits, as `The upload starts`. */
  readonly starts: string;
  /** The node waits for the end: the editor's console is told instead of the output, which is read only then. */
  readonly wait: boolean;
  /** Whether it still runs: what was joined may have ended. Asked only if no worker is there. */
  readonly runs: () => Promise<boolean>;
}

/** What was said in each execution, so that a hundred items do not say the same. */
const said = new WeakMap<IExecuteFunctions, Set<string>>();

/** Says in the editor and in n8n's log for which queue of a started upload or batch no worker is there. What can't be seen is only logged. */
export async function hintWithoutWorker(
  context: IExecuteFunctions,
  connection: TemporalConnection,
  started: StartedByNode,
): Promise<void> {
  const log = (text: string): void => context.logger.warn(`${context.getNode().name}: ${text}`);
  const texts = await missingTexts(connection, started).catch((error: unknown) => {
    if (!(error instanceof MediaServiceError)) throw error;
    log(`whether a worker is there can't be seen: ${error.message}`);
    return [];
  });
  const before = said.get(context) ?? new Set();
  said.set(context, before);
  for (const text of texts.filter((one) => !before.has(one))) {
    before.add(text);
    log(text);
    if (!started.wait) context.addExecutionHints({ message: text, type: 'warning', location: 'outputPane' });
    else if (context.getMode() === 'manual') context.sendMessageToUI(text);
  }
}

async function missingTexts(
  connection: TemporalConnection,
  { need, starts, runs }: StartedByNode,
): Promise<string[]> {
  const unserved = await unservedQueues(connection, need);
  if (unserved.length === 0 || !(await runs())) return [];
  return unserved.map((queue) => {
    const { message, hint } = startedWithoutWorker(queue, { starts });
    return `${message}. ${hint}`;
  });
}
