import { shownWait } from '../../../api/advice';
import { N8N_WORDS } from '../../../n8n/n8n-words';
import { MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import { systemClock } from '../../../api/clock';
import { awaitPlan } from '../../../temporal/batch/client/await-plan';
import type { AwaitedPlan } from '../../../temporal/batch/client/await-plan';
import type { BatchHandle } from '../../../temporal/batch/client/open-batch';
import type { WaitReason } from '../../../temporal/client/wait-reason';
import type { NodeExecution } from '../node-execution';
import { awaitBatch } from './await-batch';

/**
 * The output of a start. With `wait`, it is how the batch ended, otherwise the number of its rows, after a worker has
 * read them. Rejects if the manifest or folder is refused, or if the batch can't begin now. So no batch fails or hangs
 * unnoticed behind a green node. A missing worker is not an error: the output has it in `waitReason`.
 */
export async function awaitStart(
  handle: BatchHandle,
  execution: NodeExecution,
  wait: boolean,
): Promise<object> {
  const signal = execution.signal ?? new AbortController().signal;
  const { rows, waitReason } = await awaitPlan(handle, { clock: systemClock, signal }).catch(
    (error: unknown): AwaitedPlan => {
      // The wait for the end handles a batch whose execution is cancelled.
      if (wait && signal.aborted) return {};
      throw error;
    },
  );
  const isWaiting = waitReason?.code === 'NoWorker';
  if (waitReason !== undefined && !isWaiting) throw notPlanned(waitReason);
  if (!wait) return given({ rows, waitReason: shownWait(N8N_WORDS, waitReason) });
  const result = await awaitBatch(handle, execution);
  return { rows: result.counts.rows, ...result };
}

/** The batch continues as soon as it can. But the user should know now that it can't begin yet. */
function notPlanned({ code, message, hint, remedy }: WaitReason): MediaServiceError {
  const goesOn = 'The batch waits and retries for a day; Batch > Cancel ends it.';
  return new MediaServiceError(code, `The batch has started, but can't begin yet: ${message}`, {
    ...(remedy === undefined ? {} : { remedy }),
    hint: hint === undefined ? goesOn : `${hint} ${goesOn}`,
  });
}
