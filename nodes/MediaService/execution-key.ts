import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Names this run of the node: a node in a loop runs several times within one execution, and a retry of the node must find again what it
 * began; n8n's retry of an execution has a new number. Without an execution id (unsaved manual runs) the moment stands in.
 */
export function executionKeyOf(context: IExecuteFunctions, itemIndex: number): string {
  const execution: unknown = context.getExecutionId();
  const run: unknown = context.evaluateExpression('{{ $runIndex }}', itemIndex);
  const name = typeof execution === 'string' && execution !== '' ? execution : `manual-${Date.now()}`;
  return [name, context.getNode().id, String(run)].join('-');
}
