import { readSession } from '../../../api/upload/session/session-status';
import { openUpload } from '../../../temporal/client/open-upload';
import { itemOf } from '../items';
import type { Operation } from '../operation';
import { booleanField, givenValue } from '../parameters';
import { UPLOAD_BY, uploadIdOf } from './fields/upload-id';
import { progressJson, sessionJson } from './upload-output';
import { workflowIdOf } from './fields/workflow-id';

/** Upload > Get: the progress of a workflow, or the session as the service knows it. api.md, "GET {upload_url}/upload/{uploadId}". */
export const get: Operation = {
  option: {
    name: 'Get',
    value: 'get',
    description: 'Get the progress of an upload, or its session in the service',
    action: 'Get an upload',
  },
  parameters: [
    ...UPLOAD_BY,
    {
      displayName: 'Simplify',
      name: 'simplify',
      type: 'boolean',
      default: true,
      displayOptions: { show: { by: ['uploadId'] } },
      description: 'Whether to return a simplified version of the response instead of the raw data',
    },
  ],

  async execute({ context, signal, service, temporal }, itemIndex) {
    const uploadId = uploadIdOf(context, itemIndex);
    if (uploadId === undefined) {
      const workflowId = workflowIdOf(context, itemIndex);
      const { connection } = await temporal(itemIndex);
      const progress = await openUpload(connection, workflowId).progress();
      return [itemOf({ workflowId, ...progressJson(progress) }, itemIndex)];
    }
    const session = await readSession(await service(itemIndex), uploadId, signal);
    const simplify =
      booleanField(givenValue(context.getNodeParameter('simplify', itemIndex)), 'Simplify') ?? true;
    return [itemOf(sessionJson(session, simplify), itemIndex)];
  },
};
