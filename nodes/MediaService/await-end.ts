import type { INodeExecutionData } from 'n8n-workflow';
import { MediaServiceError } from '../../api/errors';
import { given, isJsonObject, textAt } from '../../api/json';
import type { JsonObject } from '../../api/json';
import { RETRY_FOR_MS } from '../../api/retry';
import { describeError } from '../../n8n/error-words';
import { failureOf, pathOf } from './access/door';
import type { Door } from './access/door';
import { batchHints, batchProgress, uploadHints, uploadProgress } from './shown-texts';
import { plainJson, uploadJson } from './output';
import type { NodeExecution } from './node-execution';

/** An upload or a batch on a worker whose end is the output of an item. Plain data, because n8n may store it. */
export interface AwaitedEnd {
  readonly list: 'uploads' | 'batches';
  readonly workflowId: string;
  /** Fields of the output that are known before the end. */
  readonly known?: object;
  /** Fields of the input that the output passes on. */
  readonly passedOn?: object | undefined;
  /** Only the most important fields of an upload. */
  readonly simplify?: boolean;
  /** If the output does not belong to its item alone. */
  readonly pairedItem?: INodeExecutionData['pairedItem'];
}

/** How long one request waits. In a manual execution, each answer is shown. */
const WAIT_SECONDS = 60;
const SHOW_SECONDS = 5;

/** What the editor shows of it meanwhile and at its end, and what becomes of it when the execution is cancelled. */
const TEXTS = {
  uploads: { one: 'upload', of: 'Upload', progress: uploadProgress, hints: uploadHints },
  batches: { one: 'batch', of: 'Batch', progress: batchProgress, hints: batchHints },
} as const;

/**
 * Waits for the end, also while the worker restarts, and returns the output. Rejects with its error. If the execution
 * is cancelled, rejects with an error that says how to continue.
 */
export async function awaitEnd(
  { context, signal }: Pick<NodeExecution, 'context' | 'signal'>,
  door: Door,
  awaited: AwaitedEnd,
): Promise<JsonObject> {
  const { list, workflowId } = awaited;
  const { one, of, progress, hints } = TEXTS[list];
  const isWatched = context.getMode() === 'manual';
  const wait = isWatched ? SHOW_SECONDS : WAIT_SECONDS;
  try {
    for (;;) {
      const shown = await door.get(pathOf(list, workflowId), { wait }, RETRY_FOR_MS);
      const result = resultOf(shown);
      if (result !== undefined) {
        context.addExecutionHints(...hints(result));
        return outputOf(awaited, result);
      }
      if (isWatched) context.sendMessageToUI(progress(shown, waitText(shown)));
    }
  } catch (error) {
    if (signal?.aborted !== true) return Promise.reject(error);
    const hint = `The ${one} ${workflowId} continues: see ${of} > Get, and ${of} > Cancel to end it.`;
    return Promise.reject(new MediaServiceError('Cancelled', 'The execution was canceled', { hint }));
  }
}

/** The result of what the door shows, or undefined while it runs. Throws its error if it failed. */
export function resultOf({ id = null, result, error }: JsonObject): JsonObject | undefined {
  const failure = failureOf(error);
  if (failure !== undefined) throw failure;
  return isJsonObject(result) ? { workflowId: id, ...result } : undefined;
}

/** The output: of the result, or of what is known before the end. */
export function outputOf(awaited: AwaitedEnd, result: JsonObject = {}): JsonObject {
  const { list, workflowId, known, passedOn, simplify = false } = awaited;
  const fields = plainJson({ ...known, workflowId, ...result });
  if (list === 'uploads') return { ...plainJson(passedOn ?? {}), ...uploadJson(fields, simplify) };
  const { counts } = fields;
  return { ...(isJsonObject(counts) ? { rows: counts['rows'] ?? 0 } : {}), ...fields };
}

/** Why it does not continue now, or undefined. */
export function waitText({ waitReason }: JsonObject): string | undefined {
  return isJsonObject(waitReason) ? textAt(waitReason, ['message']) : undefined;
}

/** An upload or a batch of the door as the fields of an item, with its progress or result, and why it failed. */
export function shownFields({ id = null, progress, result, error, ...known }: JsonObject): JsonObject {
  const failure = failureOf(error);
  const { message, description } = failure === undefined ? {} : describeError(failure);
  const parts = [progress, result].filter(isJsonObject);
  return Object.assign(
    { workflowId: id },
    ...parts,
    known,
    given({ error: message, hint: description }),
  ) as JsonObject;
}
