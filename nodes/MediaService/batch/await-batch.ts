import type { NodeExecutionHint } from 'n8n-workflow';
import { MediaServiceError } from '../../../api/errors';
import { isJsonObject, textAt } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import { failureOf, pathOf } from '../access/door';
import type { Door } from '../access/door';
import { awaitEnd, waitText } from '../await-end';
import type { NodeExecution } from '../node-execution';
import { showWarnings } from '../worker-warnings';

interface Started {
  readonly door: Door;
  /** Sends the start, and waits half a minute at most until a worker has read the rows. */
  readonly start: () => Promise<JsonObject>;
  /** The same start again joins what runs. */
  readonly isRepeatable: boolean;
  readonly wait: boolean;
  /** Lets the next item begin while this one waits. */
  readonly next: () => void;
}

/**
 * Starts a batch. The output is how it ended if the node waits, otherwise the number of its rows. Rejects if manifest or
 * folder are refused, or if the batch can't begin now. So no batch fails or hangs unnoticed behind a green node. A
 * missing worker is not an error: the output has it in `waitReason`.
 */
export async function awaitStart(
  execution: NodeExecution,
  { door, start, isRepeatable, wait, next }: Started,
): Promise<JsonObject> {
  const { context } = execution;
  let answer = await planned(start);
  const [id = '', batchId = '', folder = ''] = ['id', 'batchId', 'folder'].map((name) =>
    textAt(answer, [name]),
  );
  const known = { batchId, workflowId: id, joined: answer['joined'] ?? false, folder };
  showWarnings(context, answer['warnings'], wait);
  if (!wait) return { ...known, ...planOf(answer) };
  next();
  // Rows that are refused later end only this start: the batch itself would then show an earlier run.
  while (isRepeatable && answer['rows'] === undefined) {
    if (context.getMode() === 'manual')
      context.sendMessageToUI(`${batchId}: ${waitText(answer) ?? 'a worker reads the rows'}`);
    answer = await planned(start);
  }
  const result = await awaitBatch(execution, door, id);
  const { counts } = result;
  return { ...known, ...(isJsonObject(counts) ? { rows: counts['rows'] ?? 0 } : {}), ...result };
}

function planOf({ rows, waitReason }: JsonObject): JsonObject {
  return { ...(rows === undefined ? {} : { rows }), ...(waitReason === undefined ? {} : { waitReason }) };
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

/** Waits for the end of a batch, see `awaitEnd`. The editor shows which rows failed. */
export async function awaitBatch(execution: NodeExecution, door: Door, id: string): Promise<JsonObject> {
  const result = await awaitEnd(execution, {
    ...{ door, path: pathOf('batches', id) },
    left: `The batch ${id} continues: see Batch > Get, and Batch > Cancel to end it.`,
    progressText,
  });
  execution.context.addExecutionHints(...hintsOf(result as unknown as BatchEnd));
  return result;
}

/** What the door shows of a batch, as far as it is used here. */
interface Counts {
  readonly rows: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

interface BatchEnd {
  readonly batchId: string;
  readonly counts: Counts;
  readonly results: { readonly csv: string; readonly failed?: string };
}

function progressText(shown: JsonObject): string {
  const { batchId, progress } = shown as unknown as {
    readonly batchId: string;
    readonly progress?: { readonly phase: string; readonly counts: Counts; readonly pausedBecause?: string };
  };
  const reason = progress?.pausedBecause ?? waitText(shown);
  const because = reason === undefined ? '' : ` (${reason})`;
  if (progress === undefined) return `${batchId}: waiting${because}`;
  const { rows, completed, failed, cancelled } = progress.counts;
  const wrong = failed === 0 ? '' : `, ${failed} failed`;
  return `${batchId}: ${progress.phase}${because}, ${completed + failed + cancelled} of ${rows} rows ended${wrong}`;
}

function hintsOf({ batchId, counts, results }: BatchEnd): NodeExecutionHint[] {
  const { rows, failed, cancelled } = counts;
  const open = failed + cancelled;
  if (open === 0) return [];
  const where = results.failed === undefined ? results.csv : `${results.failed}, a manifest of them`;
  const message = `${batchId}: ${open} of ${rows} rows were not uploaded. See ${where}, or Batch > Get Results. Batch > Retry Failed uploads them once more.`;
  return [{ message, type: 'warning', location: 'outputPane' }];
}
