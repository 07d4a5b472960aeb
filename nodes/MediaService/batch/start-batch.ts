import type { IPairedItemData } from 'n8n-workflow';
import { MediaServiceError } from '../../../api/errors';
import { given, textAt } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import { failureOf } from '../access/door';
import { outputOf, waitText } from '../await-end';
import type { AwaitedEnd } from '../await-end';
import { itemOf } from '../output';
import type { NodeExecution } from '../node-execution';
import type { OperationOutput } from '../operation';
import { switchField } from '../../../n8n/form-fields';
import { showWarnings } from '../worker-warnings';

export const WAIT = switchField('wait', {
  default: true,
  description:
    'Whether to wait until all rows have ended. Otherwise the workers continue by themselves: see Batch > Get or Wait, or the trigger event Batch Finished. With On Error set to Continue, a batch from a manifest frees the execution meanwhile.',
});

interface Starting {
  readonly itemIndex: number;
  /** If the output does not belong to this item alone. */
  readonly pairedItem?: IPairedItemData[];
  /** Sends the start, and waits half a minute at most until a worker has read the rows. */
  readonly start: () => Promise<JsonObject>;
  /** The same start again joins what runs. */
  readonly isRepeatable: boolean;
  readonly wait: boolean;
  /** Lets the next item begin while this one waits. */
  readonly next: () => void;
}

/**
 * Starts a batch. Its end is awaited if the node waits, otherwise the output has the number of its rows. Rejects if
 * manifest or folder are refused, or if the batch can't begin now. So no batch fails or hangs unnoticed behind a
 * green node. A missing worker is not an error: the output has it in `waitReason`.
 */
export async function startBatch(
  { context }: NodeExecution,
  { itemIndex, pairedItem, start, isRepeatable, wait, next }: Starting,
): Promise<OperationOutput> {
  let answer = await planned(start);
  const [workflowId = '', batchId = '', folder = ''] = ['id', 'batchId', 'folder'].map((name) =>
    textAt(answer, [name]),
  );
  const known = { batchId, joined: answer['joined'] ?? false, folder };
  const awaited: AwaitedEnd = { list: 'batches', workflowId, known, ...given({ pairedItem }) };
  showWarnings(context, answer['warnings'], wait);
  if (!wait) {
    const { rows, waitReason } = answer;
    return [
      { ...itemOf(outputOf(awaited, given({ rows, waitReason })), itemIndex), ...given({ pairedItem }) },
    ];
  }
  next();
  // Rows that are refused later end only this start: the batch itself would then show an earlier run.
  while (isRepeatable && answer['rows'] === undefined) {
    if (context.getMode() === 'manual')
      context.sendMessageToUI(`${batchId}: ${waitText(answer) ?? 'a worker reads the rows'}`);
    answer = await planned(start);
  }
  return awaited;
}

/** The batch continues as soon as it can. But the user should know now that it can't begin yet. */
async function planned(start: () => Promise<JsonObject>): Promise<JsonObject> {
  const answer = await start();
  const reason = failureOf(answer['waitReason']);
  if (reason === undefined || reason.code === 'NoWorker') return answer;
  const hint = [reason.facts.hint, 'The batch waits and retries for a day; Batch > Cancel ends it.'];
  throw new MediaServiceError(reason.code, `The batch has started, but can't begin yet: ${reason.message}`, {
    hint: hint.filter((one) => one !== undefined).join(' '),
  });
}
