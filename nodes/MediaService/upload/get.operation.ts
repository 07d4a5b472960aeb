import { readSession } from '../../../api/upload/session/poll-session';
import { pathOf } from '../access/door';
import { shownFields } from '../await-end';
import { itemOf } from '../items';
import type { Operation } from '../operation';
import { SIMPLIFY, simplifyOf } from '../parameters';
import { UPLOAD_BY, uploadIdOf } from './fields/upload-id';
import { sessionJson } from './upload-output';
import { workflowIdOf } from './fields/workflow-id';

/**
 * Upload > Get: an upload on a worker, or a session in the service. Without a worker, it shows what Temporal knows, and
 * the reason. api.md, "GET {upload_url}/upload/{uploadId}".
 */
export const get: Operation = {
  option: {
    name: 'Get',
    value: 'get',
    description: 'Get the progress of an upload, or its session in the service',
    action: 'Get an upload',
  },
  parameters: [...UPLOAD_BY, { ...SIMPLIFY, displayOptions: { show: { by: ['uploadId'] } } }],

  async execute({ context, signal, service, door }, itemIndex) {
    const uploadId = uploadIdOf(context, itemIndex);
    if (uploadId === undefined) {
      const workflowId = workflowIdOf(context, itemIndex);
      const shown = await (await door(itemIndex)).get(pathOf('uploads', workflowId));
      return [itemOf(shownFields(shown), itemIndex)];
    }
    const session = await readSession(await service(itemIndex), uploadId, signal);
    return [itemOf(sessionJson(session, simplifyOf(context, itemIndex)), itemIndex)];
  },
};
