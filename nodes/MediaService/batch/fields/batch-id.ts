import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { accountId } from '../../../../api/account';
import { batchWorkflowId, isBatchWorkflowId } from '../../../../temporal/batch/ids';
import { executionKeyOf } from '../../node-execution';
import type { NodeExecution } from '../../node-execution';
import { required, textField } from '../../parameters';

/** The id of an existing batch. */
export const BATCH_ID: INodeProperties = {
  displayName: 'Batch ID',
  name: 'batchId',
  type: 'string',
  required: true,
  default: '={{ $json.batchId }}',
  placeholder: 'e.g. harbour-2026-11',
  description: 'ID of the batch, as Batch > Start returns it; or its Temporal workflow ID',
};

/** The id of a new batch. */
export const NEW_BATCH_ID: INodeProperties = {
  displayName: 'Batch ID',
  name: 'batchId',
  type: 'string',
  default: '',
  placeholder: 'e.g. {{ $json.project }}-{{ $today.toISODate() }}',
  hint: 'Unique key, for example a date. The same ID joins the batch: what was uploaded stays, the rest continues.',
  description: 'Names the batch within its account: letters, digits, dots, underscores and hyphens',
};

/** The id from the form, or one that no other run of the node has. */
export function newBatchIdOf(context: IExecuteFunctions, itemIndex: number, isForAll: boolean): string {
  const batchId = textField(context.getNodeParameter('batchId', itemIndex, ''), 'Batch ID');
  if (batchId !== undefined) return batchId;
  const key = executionKeyOf(context, itemIndex).replace(/[^A-Za-z0-9._-]+/g, '-');
  return isForAll ? key : `${key}-${itemIndex}`;
}

/** The workflow id of the item's batch. */
export async function batchWorkflowOf(
  { context, service }: NodeExecution,
  itemIndex: number,
): Promise<string> {
  const name = 'Batch ID';
  const id = required(textField(context.getNodeParameter('batchId', itemIndex), name), name);
  if (isBatchWorkflowId(id)) return id;
  return batchWorkflowId(accountId((await service(itemIndex)).account), id);
}
