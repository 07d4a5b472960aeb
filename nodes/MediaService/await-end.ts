import { MediaServiceError } from '../../api/errors';
import { isJsonObject, textAt } from '../../api/json';
import type { JsonObject } from '../../api/json';
import { POLL_RETRY_FOR_MS } from '../../api/upload/direct/reach';
import { describeError } from '../../n8n/error-words';
import { failureOf } from './access/door';
import type { Door } from './access/door';
import type { NodeExecution } from './node-execution';

/** How long one request waits. In a manual execution, each answer is shown. */
const WAIT_SECONDS = 60;
const SHOW_SECONDS = 5;

interface Awaited {
  readonly door: Door;
  readonly path: string;
  /** What becomes of it when the execution is cancelled. */
  readonly left: string;
  /** Progress in the editor's console. */
  readonly progressText: (shown: JsonObject) => string;
}

/**
 * Waits for the end of an upload or a batch, also while the worker restarts, and returns its result. Rejects with its
 * error. If the execution is cancelled, rejects with an error that says how to continue.
 */
export async function awaitEnd(
  { context, signal }: Pick<NodeExecution, 'context' | 'signal'>,
  { door, path, left, progressText }: Awaited,
): Promise<JsonObject> {
  const isWatched = context.getMode() === 'manual';
  const wait = isWatched ? SHOW_SECONDS : WAIT_SECONDS;
  try {
    for (;;) {
      const shown = await door.get(path, { wait }, POLL_RETRY_FOR_MS);
      const failure = failureOf(shown['error']);
      if (failure !== undefined) throw failure;
      const { id = null, result } = shown;
      if (isJsonObject(result)) return { workflowId: id, ...result };
      if (isWatched) context.sendMessageToUI(progressText(shown));
    }
  } catch (error) {
    if (signal?.aborted !== true) return Promise.reject(error);
    return Promise.reject(new MediaServiceError('Cancelled', 'The execution was canceled', { hint: left }));
  }
}

/** Why it does not continue now, or undefined. */
export function waitText({ waitReason }: JsonObject): string | undefined {
  return isJsonObject(waitReason) ? textAt(waitReason, ['message']) : undefined;
}

/** An upload or a batch of the door as the fields of an item, with its progress or result, and why it failed. */
export function shownFields({ id = null, progress, result, error, ...known }: JsonObject): JsonObject {
  const failure = failureOf(error);
  const parts = [progress, result].filter(isJsonObject);
  return Object.assign(
    { workflowId: id },
    ...parts,
    known,
    failure === undefined ? {} : failedFields(failure),
  ) as JsonObject;
}

function failedFields(failure: MediaServiceError): JsonObject {
  const { message, description } = describeError(failure);
  return { error: message, ...(description === undefined ? {} : { hint: description }) };
}
