import type { BatchMemo } from '../../contract/batch';
import type { TemporalConnection } from '../connect';
import { errorOfRpc } from '../rpc-failure';
import type { BatchHandle } from './batch-handle';
import { openBatch } from './open-batch';
import { readBatchInput } from './read-batch';
import { refuseOtherBatch } from './refuse-other-batch';
import { runBefore, standingBatch } from './standing-batch';
import { startOrJoinBatch } from './start-batch';

/**
 * Starts an ended batch once more as it was started, for its failed rows, those that were cancelled or never begun, and rows that were
 * added. One that has no such row is joined: its result is the answer. Rejects with `RequestRefused` while it runs.
 */
export async function retryFailedRows(
  connection: TemporalConnection,
  workflowId: string,
): Promise<BatchHandle> {
  const input = { ...(await readBatchInput(connection, workflowId)), retryFailed: true };
  try {
    const description = await standingBatch(connection, workflowId);
    const memo: BatchMemo = description.memo ?? {};
    const before = runBefore(description);
    const start = { workflowId, input, digest: memo.inputDigest ?? '', before };
    const status = description.status.name;
    await refuseOtherBatch(connection, start, { status, memo });
    if (status === 'COMPLETED' && memo.counts?.failed === 0 && memo.counts.cancelled === 0) {
      return openBatch(connection, workflowId, { joined: true });
    }
    return await startOrJoinBatch(connection, start);
  } catch (error) {
    throw errorOfRpc(connection, workflowId, error);
  }
}
