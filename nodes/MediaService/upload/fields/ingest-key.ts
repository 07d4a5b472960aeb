import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { executionKeyOf } from '../../execution-key';
import { givenValue, textField } from '../../parameters';

export const INGEST_KEY: INodeProperties = {
  displayName: 'Ingest Key',
  name: 'ingestKey',
  type: 'string',
  default: '',
  placeholder: 'e.g. {{ $json.orderId }}',
  hint: "An ID of your business makes re-runs join or continue the same upload. Empty: execution ID + node + run + item, which only the node's own Retry On Fail shares; a retried execution of n8n is a new one and uploads again.",
  description:
    'Names this upload. With Temporal the same key means the same upload, never a second one; inside n8n that needs MEDIA_SERVICE_STATE_DIR: one that was cut off is continued, one that ended within 30 days gives its result again.',
};

/** The item's own key, or one that no other item has. */
export function ingestKeyOf(context: IExecuteFunctions, itemIndex: number): string {
  return ownKeyOf(context, itemIndex) ?? `${executionKeyOf(context, itemIndex)}-${itemIndex}`;
}

/** The key that the form gives; undefined: none. */
export function ownKeyOf(context: IExecuteFunctions, itemIndex: number): string | undefined {
  return textField(givenValue(context.getNodeParameter('ingestKey', itemIndex, '')), 'Ingest Key');
}
