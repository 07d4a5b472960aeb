import type { TemporalConnection } from '../connect';
import type { BatchHandle } from './batch-handle';
import { readBatchInput } from './read-batch';
import { startUnlessDone } from './start-batch';

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
  return startUnlessDone(
    connection,
    { workflowId, input },
    ({ status, memo: { counts } }) =>
      status === 'COMPLETED' && counts?.failed === 0 && counts.cancelled === 0,
  );
}
