import type { IExecuteFunctions } from 'n8n-workflow';
import { ValidationError } from '../../../../api/errors';
import { executionKeyOf } from '../../node-execution';
import { field } from '../../../../n8n/form-fields';
import { textField } from '../../parameters';

export const INGEST_KEY = field('ingestKey', {
  placeholder: 'e.g. {{ $json.orderId }}',
  hint: 'Unique key of the file, for example an order ID. Without one, a retry of the execution uploads the file again.',
  description:
    'The output is the media of an upload that has ended under this key. A worker also continues one that was cut off. Inside n8n it needs the ingest tag of the credential.',
});

/** The item's own key, or one that no other item has. */
export function ingestKeyOf(context: IExecuteFunctions, itemIndex: number): string {
  return ownKeyOf(context, itemIndex) ?? `${executionKeyOf(context, itemIndex)}-${itemIndex}`;
}

/**
 * The key from the form, or undefined. An expression without a value is an error: every run would upload the file
 * again.
 */
export function ownKeyOf(context: IExecuteFunctions, itemIndex: number): string | undefined {
  const value: unknown = context.getNodeParameter('ingestKey', itemIndex, '');
  if (value !== undefined && value !== null) return textField(value, 'ingestKey');
  throw new ValidationError(
    'ingestKey',
    'The expression in "Ingest Key" returned no value',
    'Check what it reads. If the item may have no key, let it return an empty text: {{ … ?? "" }}.',
  );
}
