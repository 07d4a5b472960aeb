import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { executionKeyOf } from '../../node-execution';
import { fieldsOf, textField } from '../../parameters';

export const INGEST_KEY: INodeProperties = {
  displayName: 'Ingest Key',
  name: 'ingestKey',
  type: 'string',
  default: '',
  placeholder: 'e.g. {{ $json.orderId }}',
  hint: 'Unique key, for example an order ID. Prevents a second upload on re-runs. In n8n, it needs the ingest tag of the credential.',
  description:
    'Returns the media of an upload that has ended under this key. A Temporal worker also continues one that was cut off.',
};

/** The item's own key, or one that no other item has. */
export function ingestKeyOf(context: IExecuteFunctions, itemIndex: number): string {
  return ownKeyOf(context, itemIndex) ?? `${executionKeyOf(context, itemIndex)}-${itemIndex}`;
}

/** The key from the form, or undefined. */
export function ownKeyOf(context: IExecuteFunctions, itemIndex: number): string | undefined {
  return textField(fieldsOf(context, 'options', itemIndex)['ingestKey'], 'Ingest Key');
}
