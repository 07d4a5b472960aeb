import { openUpload } from '../../../temporal/upload/client/open-upload';
import { itemOf } from '../items';
import type { Operation } from '../operation';
import { hintWaitingRequest } from '../without-worker';
import { WORKFLOW_ID, workflowIdOf } from './fields/workflow-id';

/** Upload > Pause: lets running parts end and begins no new one. Pausing a paused upload changes nothing. */
export const pause: Operation = {
  option: {
    name: 'Pause',
    value: 'pause',
    description: 'Let running parts end and begin no new ones',
    action: 'Pause an upload',
  },
  parameters: [WORKFLOW_ID],

  async execute({ context, temporal }, itemIndex) {
    const workflowId = workflowIdOf(context, itemIndex);
    const { connection } = await temporal(itemIndex);
    await openUpload(connection, workflowId).pause();
    await hintWaitingRequest(context, connection, workflowId);
    return [itemOf({ workflowId, pauseRequested: true }, itemIndex)];
  },
};
