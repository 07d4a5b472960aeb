import type { IExecuteFunctions } from 'n8n-workflow';
import { adviceOf, whatToDo } from '../../api/advice';
import { N8N_WORDS } from '../../n8n/n8n-words';
import { MediaServiceError } from '../../api/errors';
import type { TemporalConnection } from '../../temporal/client/connect';
import { unservedControl } from '../../temporal/client/control-workflow';
import { noWorker, startedWithoutWorker, unservedQueues } from '../../temporal/client/unserved-queues';
import type { WorkerNeed } from '../../temporal/client/living-workers';

interface StartedByNode {
  readonly need: WorkerNeed;
  /** The start of the message, as `The upload starts`. */
  readonly starts: string;
  /**
   * The node waits for the end. The hint then goes to the editor's console, because the user sees the output only at
   * the end.
   */
  readonly wait: boolean;
  /** Whether it still runs, because a joined upload or batch may have ended. Called only if there is no worker. */
  readonly runs: () => Promise<boolean>;
}

/** The hints shown in each execution, so that a hundred items do not repeat the same hint. */
const said = new WeakMap<IExecuteFunctions, Set<string>>();

/**
 * Shows in the editor and in n8n's log which queue of a started upload or batch has no worker. An error of this check
 * is only logged.
 */
export async function hintWithoutWorker(
  context: IExecuteFunctions,
  connection: TemporalConnection,
  started: StartedByNode,
): Promise<void> {
  await showOnce(context, missingTexts(connection, started), started.wait);
}

/** The same for a request to pause, resume or cancel this upload or batch. */
export async function hintWaitingRequest(
  context: IExecuteFunctions,
  connection: TemporalConnection,
  workflowId: string,
): Promise<void> {
  await showOnce(context, waitingTexts(connection, workflowId), false);
}

async function showOnce(context: IExecuteFunctions, found: Promise<string[]>, wait: boolean): Promise<void> {
  const log = (text: string): void => context.logger.warn(`${context.getNode().name}: ${text}`);
  const texts = await found.catch((error: unknown) => {
    if (!(error instanceof MediaServiceError)) throw error;
    log(`can't check whether a worker is running: ${error.message}`);
    return [];
  });
  const before = said.get(context) ?? new Set();
  said.set(context, before);
  for (const text of texts.filter((one) => !before.has(one))) {
    before.add(text);
    log(text);
    if (!wait) context.addExecutionHints({ message: text, type: 'warning', location: 'outputPane' });
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
    const { message, remedy } = startedWithoutWorker(queue, { starts });
    return `${message}. ${whatToDo(N8N_WORDS, { remedy }) ?? ''}`.trimEnd();
  });
}

async function waitingTexts(connection: TemporalConnection, workflowId: string): Promise<string[]> {
  const unserved = await unservedControl(connection, workflowId);
  if (unserved === undefined) return [];
  const { message, facts } = noWorker(unserved);
  return [
    `${message} The request takes effect when one runs. ${whatToDo(N8N_WORDS, adviceOf(facts)) ?? ''}`.trimEnd(),
  ];
}
