import { openBatch } from '../../../temporal/batch/client/open-batch';
import { plainItem } from '../items';
import type { Operation } from '../operation';
import { hintWaitingRequest } from '../without-worker';
import { BATCH_ID, batchWorkflowOf } from './fields/batch-id';
import { batchNameOf } from '../../../temporal/batch/ids';

/** Batch > Pause: begins no new row and pauses running uploads. Pausing a paused batch changes nothing. */
export const pause: Operation = {
  option: {
    name: 'Pause',
    value: 'pause',
    description: 'Begin no new rows and pause running uploads',
    action: 'Pause a batch',
  },
  parameters: [BATCH_ID],

  async execute(execution, itemIndex) {
    const workflowId = await batchWorkflowOf(execution, itemIndex);
    const { connection } = await execution.temporal(itemIndex);
    await openBatch(connection, workflowId).pause();
    await hintWaitingRequest(execution.context, connection, workflowId);

    return [plainItem({ batchId: batchNameOf(workflowId), workflowId, pauseRequested: true }, itemIndex)];
  },
};
