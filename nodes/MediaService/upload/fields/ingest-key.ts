import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
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

/**
 * The item's own key, or one that no other item has: a node in a loop runs several times within one execution, and a retry of the
 * node must find its upload again; n8n's retry of an execution has a new number. Without an execution id (unsaved manual runs) the node's moment stands in.
 */
export function ingestKeyOf(context: IExecuteFunctions, itemIndex: number): string {
  const key = textField(givenValue(context.getNodeParameter('ingestKey', itemIndex, '')), 'Ingest Key');
  if (key !== undefined) return key;
  const execution: unknown = context.getExecutionId();
  const run: unknown = context.evaluateExpression('{{ $runIndex }}', itemIndex);
  const { id } = context.getNode();
  const name = typeof execution === 'string' && execution !== '' ? execution : `manual-${Date.now()}`;
  return [name, id, String(run), itemIndex].join('-');
}
