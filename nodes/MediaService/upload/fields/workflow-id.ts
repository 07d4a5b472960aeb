import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { ValidationError } from '../../../../api/errors';
import { textField } from '../../parameters';

export const WORKFLOW_ID: INodeProperties = {
  displayName: 'Workflow ID',
  name: 'workflowId',
  type: 'string',
  required: true,
  default: '={{ $json.workflowId }}',
  placeholder: 'e.g. upload/acme-1a2b3c4d/order-4711',
  description: 'ID of an upload on a worker, as Upload > Upload returns it',
};

export function workflowIdOf(context: IExecuteFunctions, itemIndex: number): string {
  const id = textField(context.getNodeParameter('workflowId', itemIndex), 'Workflow ID');
  if (id !== undefined) return id;
  throw new ValidationError(
    'workflowId',
    '"Workflow ID" is empty for this item',
    'Take it from the output of Upload > Upload. An upload inside n8n has none: in Get and Wait choose "Identify Upload By: Upload ID".',
  );
}
