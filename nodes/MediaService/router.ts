import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { ValidationError } from '../../api/errors';
import { mediaResource } from './media/media.resource';
import { failedItem, nodeErrorOf } from './node-error';
import { openExecution } from './node-execution';
import type { NodeExecution } from './node-execution';
import type { Resource } from './operation';
import { uploadResource } from './upload/upload.resource';
import { webhookDeliveryResource } from './webhookDelivery/webhookDelivery.resource';

export const RESOURCES: readonly Resource[] = [mediaResource, webhookDeliveryResource, uploadResource];

/** Runs the chosen operation for each item in turn. Nobody else knows "continue on fail". */
export async function route(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  const execution = openExecution(context);
  const output: INodeExecutionData[] = [];
  try {
    for (const itemIndex of context.getInputData().keys()) {
      // One by one: as arguments of a single call, some 125,000 items overflow the stack.
      for (const item of await runItem(execution, itemIndex)) output.push(item);
    }
  } finally {
    await execution.close();
  }
  return [output];
}

async function runItem(execution: NodeExecution, itemIndex: number): Promise<INodeExecutionData[]> {
  const { context, signal } = execution;
  try {
    return await operationOf(context, itemIndex).execute(execution, itemIndex);
  } catch (error) {
    const nodeError = nodeErrorOf(context.getNode(), error, itemIndex);
    // n8n tells a canceled run from a failed one by this word.
    if (signal?.aborted === true) nodeError.message = 'The execution was canceled';
    if (signal?.aborted === true || !context.continueOnFail()) throw nodeError;
    return [failedItem(nodeError, itemIndex)];
  }
}

function operationOf(context: IExecuteFunctions, itemIndex: number): Resource['operations'][number] {
  const resource: unknown = context.getNodeParameter('resource', itemIndex);
  const operation: unknown = context.getNodeParameter('operation', itemIndex);
  const found = RESOURCES.find(({ option }) => option.value === resource)?.operations.find(
    ({ option }) => option.value === operation,
  );
  if (found !== undefined) return found;
  throw new ValidationError(
    'operation',
    `This node has no operation "${String(operation)}" of "${String(resource)}"`,
  );
}
