import { MediaServiceError } from '../../../api/errors';
import { systemClock } from '../../../api/system-clock';
import { awaitPlan } from '../../../temporal/client/batch/await-plan';
import type { AwaitedPlan } from '../../../temporal/client/batch/await-plan';
import type { BatchHandle } from '../../../temporal/client/batch/batch-handle';
import type { HeldUp } from '../../../temporal/client/held-up-by';
import type { NodeExecution } from '../node-execution';
import { given } from '../parameters';
import { awaitBatch } from './await-batch';

/**
 * What a start led to: with `wait` how the batch ended, else how many rows it has, once a worker has read them. Rejects with what manifest or folder
 * were refused for, and with what keeps the batch from beginning for now: none fails, or hangs, unseen behind a node that was green. That no worker is there is
 * no error: it is the field `heldUpBy` of the output.
 */
export async function awaitStart(
  handle: BatchHandle,
  execution: NodeExecution,
  { itemIndex, wait }: { readonly itemIndex: number; readonly wait: boolean },
): Promise<object> {
  const signal = execution.signal ?? new AbortController().signal;
  const { rows, heldUpBy } = await awaitPlan(handle, { clock: systemClock, signal }).catch(
    (error: unknown): AwaitedPlan => {
      // The wait for the end knows what becomes of a batch whose execution is cancelled.
      if (wait && signal.aborted) return {};
      throw error;
    },
  );
  const isWaiting = heldUpBy?.code === 'NoWorker';
  if (heldUpBy !== undefined && !isWaiting) throw notPlanned(heldUpBy);
  if (!wait) return given({ rows, heldUpBy });
  const result = await awaitBatch(handle, execution, itemIndex);
  return { rows: result.counts.rows, ...result };
}

/** It goes on as soon as it can; whoever started it should know now that it cannot. */
function notPlanned({ code, message, hint }: HeldUp): MediaServiceError {
  const goesOn = 'The batch waits and tries again for a day; Batch > Cancel gives it up.';
  return new MediaServiceError(code, `The batch is started, but cannot begin so far: ${message}`, {
    hint: hint === undefined ? goesOn : `${hint} ${goesOn}`,
  });
}
