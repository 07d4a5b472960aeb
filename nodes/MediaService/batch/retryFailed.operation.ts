import { retryFailedRows } from '../../../temporal/client/batch/retry-failed';
import { plainItem } from '../items';
import type { Operation } from '../operation';
import { awaitStart } from './await-start';
import { BATCH_ID, batchIdOf, batchWorkflowOf } from './fields/batch-id';
import { WAIT, WAIT_OPTIONS, waitOf } from './fields/batch-wait';

/** Batch > Retry Failed: an ended batch once more, for what failed or was cancelled. Where there is no such row, its result stands. */
export const retryFailed: Operation = {
  option: {
    name: 'Retry Failed',
    value: 'retryFailed',
    description: 'Start an ended batch again for the rows that failed or were cancelled',
    action: 'Retry failed rows of a batch',
  },
  parameters: [BATCH_ID, WAIT, WAIT_OPTIONS],

  async execute(execution, itemIndex) {
    const workflowId = await batchWorkflowOf(execution, itemIndex);
    const wait = waitOf(execution.context, itemIndex);
    const { connection } = await execution.temporal(itemIndex);
    const handle = await retryFailedRows(connection, workflowId);
    const started = { batchId: batchIdOf(workflowId), workflowId, joined: handle.joined };
    const became = await awaitStart(handle, execution, { itemIndex, wait });
    return [plainItem({ ...started, ...became }, itemIndex)];
  },
};
