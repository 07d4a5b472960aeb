import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { systemClock } from '../../api/clock';
import { ValidationError } from '../../api/errors';
import { batchResource } from './batch/batch.resource';
import { mediaResource } from './media/media.resource';
import { failedItem, nodeErrorOf } from './node-error';
import { openExecution } from './node-execution';
import type { NodeExecution } from './node-execution';
import type { Operation, Resource } from './operation';
import { uploadResource } from './upload/upload.resource';
import { webhookDeliveryResource } from './webhookDelivery/webhookDelivery.resource';

export const RESOURCES: readonly Resource[] = [
  mediaResource,
  webhookDeliveryResource,
  uploadResource,
  batchResource,
];

const ITEMS_BETWEEN_PAUSES = 20;

/** Runs the chosen operation for each item in turn, or once for all. Only the router handles "continue on fail". */
export async function route(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  const execution = openExecution(context);
  const output: INodeExecutionData[] = [];
  try {
    const runs = runsOf(context);
    for (let itemIndex = 0; itemIndex < runs; itemIndex += 1) {
      // One by one, because about 125,000 items as arguments of a single call overflow the stack.
      for (const item of await runItem(execution, itemIndex)) output.push(item);
      // A refused item waits for nothing. Without a pause, many of them would stop everything else that n8n does.
      if (itemIndex % ITEMS_BETWEEN_PAUSES === 0) await systemClock.sleep(0);
    }
  } finally {
    await execution.close();
  }
  return [output];
}

function runsOf(context: IExecuteFunctions): number {
  const items = context.getInputData().length;
  return items > 1 && findOperation(context, 0)?.together?.(context) === true ? 1 : items;
}

async function runItem(execution: NodeExecution, itemIndex: number): Promise<INodeExecutionData[]> {
  const { context, signal } = execution;
  try {
    return await operationOf(context, itemIndex).execute(execution, itemIndex);
  } catch (error) {
    const nodeError = nodeErrorOf(context.getNode(), error, itemIndex);
    // n8n recognises a canceled run by this word.
    if (signal?.aborted === true) nodeError.message = 'The execution was canceled';
    if (signal?.aborted === true || !context.continueOnFail()) throw nodeError;
    return [failedItem(nodeError, itemIndex)];
  }
}

function operationOf(context: IExecuteFunctions, itemIndex: number): Operation {
  const found = findOperation(context, itemIndex);
  if (found !== undefined) return found;
  const { resource, operation } = chosen(context, itemIndex);
  throw new ValidationError(
    'operation',
    `This node has no operation "${String(operation)}" of "${String(resource)}"`,
  );
}

function findOperation(context: IExecuteFunctions, itemIndex: number): Operation | undefined {
  const { resource, operation } = chosen(context, itemIndex);
  return RESOURCES.find(({ option }) => option.value === resource)?.operations.find(
    ({ option }) => option.value === operation,
  );
}

function chosen(context: IExecuteFunctions, itemIndex: number): Record<'resource' | 'operation', unknown> {
  return {
    resource: context.getNodeParameter('resource', itemIndex),
    operation: context.getNodeParameter('operation', itemIndex),
  };
}
