import type { IExecuteFunctions } from 'n8n-workflow';
import { executionKeyOf } from '../../node-execution';
import { field } from '../../../../n8n/form-fields';
import { requiredText, textField } from '../../parameters';

/** The id of an existing batch. */
export const BATCH_ID = field('batchId', {
  required: true,
  default: '={{ $json.batchId }}',
  placeholder: 'e.g. harbour-2026-11',
  description: 'ID of the batch, as Batch > Start returns it; or its workflow ID',
});

/** The id of a new batch. */
export const NEW_BATCH_ID = field('batchId', {
  placeholder: 'e.g. {{ $json.project }}-{{ $today.toISODate() }}',
  hint: 'Unique key, for example a date. The same ID joins the batch: what was uploaded stays, the rest continues.',
  description: 'Names the batch within its account: letters, digits, dots, underscores and hyphens',
});

/** The id from the form, or one that no other run of the node has. */
export function newBatchIdOf(context: IExecuteFunctions, itemIndex: number, isForAll: boolean): string {
  const batchId = textField(context.getNodeParameter('batchId', itemIndex, ''), 'batchId');
  if (batchId !== undefined) return batchId;
  const key = executionKeyOf(context, itemIndex).replace(/[^A-Za-z0-9._-]+/g, '-');
  return isForAll ? key : `${key}-${itemIndex}`;
}

/** The id of the item's batch, which the worker completes for its account. */
export function batchIdOf(context: IExecuteFunctions, itemIndex: number): string {
  return requiredText(context, { name: 'batchId' }, itemIndex);
}
