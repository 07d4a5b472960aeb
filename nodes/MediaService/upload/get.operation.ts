import { readSession } from '../../../api/upload/session/poll-session';
import { readUploadState } from '../../../temporal/upload/client/open-upload';
import { itemOf } from '../items';
import type { Operation } from '../operation';
import { SIMPLIFY, simplifyOf } from '../parameters';
import { UPLOAD_BY, uploadIdOf } from './fields/upload-id';
import { sessionJson, stateJson } from './upload-output';
import { workflowIdOf } from './fields/workflow-id';

/**
 * Upload > Get: the progress of a workflow, or the session in the service. Without a worker, it shows what Temporal
 * knows, and the reason. api.md, "GET {upload_url}/upload/{uploadId}".
 */
export const get: Operation = {
  option: {
    name: 'Get',
    value: 'get',
    description: 'Get the progress of an upload, or its session in the service',
    action: 'Get an upload',
  },
  parameters: [...UPLOAD_BY, { ...SIMPLIFY, displayOptions: { show: { by: ['uploadId'] } } }],

  async execute({ context, signal, service, temporal }, itemIndex) {
    const uploadId = uploadIdOf(context, itemIndex);
    if (uploadId === undefined) {
      const workflowId = workflowIdOf(context, itemIndex);
      const { connection } = await temporal(itemIndex);
      const state = await readUploadState(connection, workflowId);
      return [itemOf({ workflowId, ...stateJson(state) }, itemIndex)];
    }
    const session = await readSession(await service(itemIndex), uploadId, signal);
    return [itemOf(sessionJson(session, simplifyOf(context, itemIndex)), itemIndex)];
  },
};
