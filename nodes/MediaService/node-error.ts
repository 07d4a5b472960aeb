import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IDataObject, INode, INodeExecutionData, JsonObject } from 'n8n-workflow';
import { given } from '../../api/json';
import { MediaServiceError } from '../../api/errors';
import { describeError } from '../../n8n/error-words';

/**
 * The error as n8n shows it: what happened, what to do, and the item if there is one. HTTP errors contain their
 * status. n8n's own errors pass unchanged.
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
  // n8n replaces messages that mention a network code with general phrases.
  nodeError.message = words.message;
  nodeError.description = words.description;
  return Object.assign(nodeError, { context: { ...nodeError.context, data: factsOf(error) } });
}

/**
 * The output of a failed item if the node continues. It stays paired, and says what happened and what to do. n8n
 * recognises failed items by exactly these fields. If the item contained the error itself, n8n would drop all other
 * items.
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

/** The facts of the error that are safe to show. */
function factsOf(error: unknown): JsonObject {
  if (!(error instanceof MediaServiceError)) return {};
  const { operation, status, requestId, field, details } = error.facts;
  return {
    code: error.code,
    ...given({ operation, status, requestId, field }),
    ...(details === undefined ? {} : { details: { ...details } }),
  };
}
