import { ValidationError } from '../../../api/errors';
import { readSession } from '../../../api/upload/session/session-status';
import { openUpload } from '../../../temporal/client/open-upload';
import { itemOf } from '../items';
import type { Operation } from '../operation';
import { textField } from '../parameters';
import { progressJson, sessionJson } from './upload-output';
import { WORKFLOW_ID, workflowIdOf } from './workflow-id';

/** Upload > Get: the progress of a workflow, or the session as the service knows it. api.md, "GET {upload_url}/upload/{uploadId}". */
export const get: Operation = {
  option: {
    name: 'Get',
    value: 'get',
    description: 'Get the progress of an upload, or its session in the service',
    action: 'Get an upload',
  },
  parameters: [
    {
      displayName: 'Get By',
      name: 'by',
      type: 'options',
      default: 'workflowId',
      options: [
        {
          name: 'Upload ID',
          value: 'uploadId',
          description: 'The session as the service knows it; needs no Temporal',
        },
        { name: 'Workflow ID', value: 'workflowId', description: 'The progress, as Temporal knows it' },
      ],
    },
    { ...WORKFLOW_ID, displayOptions: { show: { by: ['workflowId'] } } },
    {
      displayName: 'Upload ID',
      name: 'uploadId',
      type: 'string',
      required: true,
      default: '={{ $json.uploadId }}',
      displayOptions: { show: { by: ['uploadId'] } },
      description: 'ID of the upload session',
    },
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
    if (context.getNodeParameter('by', itemIndex) === 'workflowId') {
      const workflowId = workflowIdOf(context, itemIndex);
      const { connection } = await temporal(itemIndex);
      const progress = await openUpload(connection, workflowId).progress();
      return [itemOf({ workflowId, ...progressJson(progress) }, itemIndex)];
    }
    const uploadId = textField(context.getNodeParameter('uploadId', itemIndex), 'Upload ID');
    if (uploadId === undefined) {
      throw new ValidationError(
        'uploadId',
        '"Upload ID" is empty for this item',
        'Take it from the output of an upload.',
      );
    }
    const session = await readSession(await service(itemIndex), uploadId, signal);
    const simplify = context.getNodeParameter('simplify', itemIndex) === true;
    return [itemOf(sessionJson(session, simplify), itemIndex)];
  },
};
