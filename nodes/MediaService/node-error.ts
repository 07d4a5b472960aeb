import type { IDataObject, INode, INodeExecutionData, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { MediaServiceError } from '../../api/errors';
import { describeError } from './error-words';

/**
 * The error as n8n shows it: what happened, what to do, the item where there is one; HTTP refusals carry their status. n8n's own
 * errors pass.
 */
export function nodeErrorOf(
  node: INode,
  error: unknown,
  itemIndex?: number,
): NodeApiError | NodeOperationError {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) {
    if (itemIndex !== undefined) error.context['itemIndex'] ??= itemIndex;
    return error;
  }
  const words = describeError(error);
  const options = { ...words, ...(itemIndex === undefined ? {} : { itemIndex }) };
  const status = error instanceof MediaServiceError ? error.facts.status : undefined;
  const nodeError =
    status === undefined
      ? new NodeOperationError(node, words.message, options)
      : new NodeApiError(node, factsOf(error), { ...options, httpCode: String(status) });
  // n8n puts general phrases in place of messages that mention a network code.
  nodeError.message = words.message;
  nodeError.description = words.description;
  return Object.assign(nodeError, { context: { ...nodeError.context, data: factsOf(error) } });
}

/**
 * The output of an item that failed while the node goes on: it stays paired, and says what happened and what to do. n8n finds failed
 * items by these very fields, and would drop all others if the item carried the error itself.
 */
export function failedItem(error: NodeApiError | NodeOperationError, itemIndex: number): INodeExecutionData {
  const { description } = error;
  const facts = error.context['data'];
  const details: IDataObject = {
    ...(typeof description === 'string' ? { hint: description } : {}),
    ...(typeof facts === 'object' ? facts : {}),
  };
  return { json: { error: error.message, details }, pairedItem: { item: itemIndex } };
}

/** What is safe to show of the error besides its words. */
function factsOf(error: unknown): JsonObject {
  if (!(error instanceof MediaServiceError)) return {};
  const { operation, status, requestId, field, details } = error.facts;
  return {
    code: error.code,
    ...(operation === undefined ? {} : { operation }),
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(field === undefined ? {} : { field }),
    ...(details === undefined ? {} : { details: { ...details } }),
  };
}
