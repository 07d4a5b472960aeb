import { openUpload } from '../../../temporal/upload/client/open-upload';
import { itemOf } from '../items';
import type { Operation } from '../operation';
import { hintWaitingRequest } from '../without-worker';
import { WORKFLOW_ID, workflowIdOf } from './fields/workflow-id';

/** Upload > Cancel. The interface has no call that removes a session, so sent parts stay, and the output says so. */
export const cancel: Operation = {
  option: {
    name: 'Cancel',
    value: 'cancel',
    description: 'End a running upload',
    action: 'Cancel an upload',
  },
  parameters: [WORKFLOW_ID],

  async execute({ context, temporal }, itemIndex) {
    const workflowId = workflowIdOf(context, itemIndex);
    const { connection } = await temporal(itemIndex);
    await openUpload(connection, workflowId).cancel();
    await hintWaitingRequest(context, connection, workflowId);
    const note =
      'Sending ends. An upload session that was started stays in the service, which has no call to remove it: ask its operator.';
    return [itemOf({ workflowId, cancelRequested: true, note }, itemIndex)];
  },
};
