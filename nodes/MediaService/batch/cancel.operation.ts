import { openBatch } from '../../../temporal/batch/client/open-batch';
import { plainItem } from '../items';
import type { Operation } from '../operation';
import { hintWaitingRequest } from '../without-worker';
import { BATCH_ID, batchWorkflowOf } from './fields/batch-id';
import { batchNameOf } from '../../../temporal/batch/ids';

/** Batch > Cancel. The results are written first, and contain every row that was not uploaded. */
export const cancel: Operation = {
  option: {
    name: 'Cancel',
    value: 'cancel',
    description: 'End a running batch',
    action: 'Cancel a batch',
  },
  parameters: [BATCH_ID],

  async execute(execution, itemIndex) {
    const workflowId = await batchWorkflowOf(execution, itemIndex);
    const { connection } = await execution.temporal(itemIndex);
    await openBatch(connection, workflowId).cancel();
    await hintWaitingRequest(execution.context, connection, workflowId);
    const note =
      'Running uploads end, and the batch results are written. If you start it again under the same ID, the batch continues where it stopped.';
    return [
      plainItem({ batchId: batchNameOf(workflowId), workflowId, cancelRequested: true, note }, itemIndex),
    ];
  },
};
