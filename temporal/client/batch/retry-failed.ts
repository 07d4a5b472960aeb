import type { BatchMemo } from '../../contract/batch';
import type { TemporalConnection } from '../connect';
import { errorOfRpc } from '../rpc-failure';
import type { BatchHandle } from './batch-handle';
import { openBatch } from './open-batch';
import { readBatchInput } from './read-batch';
import { refuseOtherBatch } from './refuse-other-batch';
import { runBefore, runningBatch } from './running-batch';
import { startOrJoinBatch } from './start-batch';

/**
 * Starts an ended batch again with its original input. It uploads rows that failed, were cancelled or never began, and
 * added rows. A batch without such rows is joined, and its result is returned. Rejects with `RequestRefused` while the
 * batch runs.
 */
export async function retryFailedRows(
  connection: TemporalConnection,
  workflowId: string,
): Promise<BatchHandle> {
  const input = { ...(await readBatchInput(connection, workflowId)), retryFailed: true };
  try {
    const description = await runningBatch(connection, workflowId);
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
