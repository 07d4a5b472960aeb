import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Identifies this run of the node. A node in a loop runs several times within one execution. A retry of the node must
 * find what it began, while n8n's retry of an execution has a new number. Without an execution id (unsaved manual
 * runs), the current time replaces it.
 */
export function executionKeyOf(context: IExecuteFunctions, itemIndex: number): string {
  const execution: unknown = context.getExecutionId();
  const run: unknown = context.evaluateExpression('{{ $runIndex }}', itemIndex);
  const name = typeof execution === 'string' && execution !== '' ? execution : `manual-${Date.now()}`;
  return [name, context.getNode().id, String(run)].join('-');
}
