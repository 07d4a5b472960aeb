import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { ValidationError } from '../../../../api/errors';
import { textField } from '../../parameters';
import { WORKFLOW_ID } from './workflow-id';

/** How an upload is identified: by its workflow on workers, or by its session in the service, which every upload has. */
export const UPLOAD_BY: INodeProperties[] = [
  {
    displayName: 'Identify Upload By',
    name: 'by',
    type: 'options',
    noDataExpression: true,
    default: 'uploadId',
    options: [
      {
        name: 'Upload ID',
        value: 'uploadId',
        description: 'Reads the status from the service; needs no worker',
      },
      { name: 'Workflow ID', value: 'workflowId', description: 'Reads the progress from the worker' },
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
];

/** The id of the session, or undefined if the workflow identifies the upload. */
export function uploadIdOf(context: IExecuteFunctions, itemIndex: number): string | undefined {
  if (context.getNodeParameter('by', itemIndex) === 'workflowId') return undefined;
  const uploadId = textField(context.getNodeParameter('uploadId', itemIndex), 'Upload ID');
  if (uploadId !== undefined) return uploadId;
  throw new ValidationError(
    'uploadId',
    '"Upload ID" is empty for this item',
    'Take it from the output of an upload. An upload on a worker has it once it has begun: choose "Identify Upload By: Workflow ID" for it.',
  );
}
