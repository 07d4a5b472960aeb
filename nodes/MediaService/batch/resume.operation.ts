import { openBatch } from '../../../temporal/batch/client/open-batch';
import { plainItem } from '../items';
import type { Operation } from '../operation';
import { hintWaitingRequest } from '../without-worker';
import { BATCH_ID, batchWorkflowOf } from './fields/batch-id';
import { batchNameOf } from '../../../temporal/batch/ids';

/** Batch > Resume: also for a batch that paused by itself because too many rows failed. */
export const resume: Operation = {
  option: {
    name: 'Resume',
    value: 'resume',
    description: 'Continue a batch that was paused, or that paused by itself',
    action: 'Resume a batch',
  },
  parameters: [BATCH_ID],

  async execute(execution, itemIndex) {
    const workflowId = await batchWorkflowOf(execution, itemIndex);
    const { connection } = await execution.temporal(itemIndex);
    await openBatch(connection, workflowId).resume();
    await hintWaitingRequest(execution.context, connection, workflowId);

    return [plainItem({ batchId: batchNameOf(workflowId), workflowId, resumeRequested: true }, itemIndex)];
  },
};
