import type { NodeExecutionHint } from 'n8n-workflow';
import type { BatchHandle, LiveBatch } from '../../../temporal/batch/client/open-batch';
import type { BatchResult } from '../../../temporal/batch/types';
import { awaitEnd } from '../await-end';
import type { NodeExecution } from '../node-execution';

/** Waits for the end of a batch, see `awaitEnd`. The editor shows which rows failed. */
export async function awaitBatch(
  handle: BatchHandle,
  { context, signal }: NodeExecution,
): Promise<BatchResult> {
  const { workflowId } = handle;
  const result = await awaitEnd(
    handle,
    { context, signal },
    {
      progress: progressText,
      left: `The batch ${workflowId} continues: see Batch > Get, and Batch > Cancel to end it.`,
    },
  );
  context.addExecutionHints(...hintsOf(result));
  return result;
}

export function progressText({ batchId, phase, counts, pausedBecause, waitReason }: LiveBatch): string {
  const { rows, completed, failed, cancelled } = counts;
  const reason = pausedBecause ?? waitReason?.message;
  const because = reason === undefined ? '' : ` (${reason})`;
  const wrong = failed === 0 ? '' : `, ${failed} failed`;
  return `${batchId}: ${phase}${because}, ${completed + failed + cancelled} of ${rows} rows ended${wrong}`;
}

function hintsOf({ batchId, counts, results }: BatchResult): NodeExecutionHint[] {
  const { rows, failed, cancelled } = counts;
  const open = failed + cancelled;
  if (open === 0) return [];
  const where = results.failed === undefined ? results.csv : `${results.failed}, a manifest of them`;
  const message = `${batchId}: ${open} of ${rows} rows were not uploaded. See ${where}; Batch > Retry Failed uploads them once more.`;
  return [{ message, type: 'warning', location: 'outputPane' }];
}
