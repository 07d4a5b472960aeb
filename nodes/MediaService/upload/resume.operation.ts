import { openUpload } from '../../../temporal/upload/client/open-upload';
import { itemOf } from '../items';
import type { Operation } from '../operation';
import { hintWaitingRequest } from '../without-worker';
import { WORKFLOW_ID, workflowIdOf } from './fields/workflow-id';

/** Upload > Resume. Resuming a running upload changes nothing. */
export const resume: Operation = {
  option: {
    name: 'Resume',
    value: 'resume',
    description: 'Continue a paused upload',
    action: 'Resume an upload',
  },
  parameters: [WORKFLOW_ID],

  async execute({ context, temporal }, itemIndex) {
    const workflowId = workflowIdOf(context, itemIndex);
    const { connection } = await temporal(itemIndex);
    await openUpload(connection, workflowId).resume();
    await hintWaitingRequest(context, connection, workflowId);
    return [itemOf({ workflowId, resumeRequested: true }, itemIndex)];
  },
};
