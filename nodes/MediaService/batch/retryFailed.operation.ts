import { readBatchInput } from '../../../temporal/batch/client/open-batch';
import { retryFailedRows } from '../../../temporal/batch/client/start-batch';
import { batchNeed } from '../../../temporal/client/living-workers';
import { plainItem } from '../items';
import type { Operation } from '../operation';
import { hintWithoutWorker } from '../without-worker';
import { awaitStart } from './await-start';
import { BATCH_ID, batchWorkflowOf } from './fields/batch-id';
import { WAIT, waitOf } from './fields/batch-wait';
import { batchNameOf } from '../../../temporal/batch/ids';

/**
 * Batch > Retry Failed: starts an ended batch again for rows that failed or were cancelled. Without such rows, its
 * result stays.
 */
export const retryFailed: Operation = {
  option: {
    name: 'Retry Failed',
    value: 'retryFailed',
    description: 'Start an ended batch again for the rows that failed or were cancelled',
    action: 'Retry failed rows of a batch',
  },
  parameters: [BATCH_ID, WAIT],

  async execute(execution, itemIndex, next) {
    const workflowId = await batchWorkflowOf(execution, itemIndex);
    const wait = waitOf(execution.context, itemIndex);
    const { connection } = await execution.temporal(itemIndex);
    const input = await readBatchInput(connection, workflowId);
    const handle = await retryFailedRows(connection, workflowId);
    const { joined } = handle;
    if (wait) next();
    const started = { batchId: batchNameOf(workflowId), workflowId, joined };
    const need = batchNeed({ ...input, accountId: input.account.accountId });
    const runs = (): Promise<boolean> => Promise.resolve(!joined);
    await hintWithoutWorker(execution.context, connection, { need, wait, starts: 'The batch starts', runs });
    const became = await awaitStart(handle, execution, wait);
    return [plainItem({ ...started, ...became }, itemIndex)];
  },
};
