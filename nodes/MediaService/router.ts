import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { Slots } from '../../api/slots';
import { n8nClock } from '../../n8n/n8n-clock';
import { ValidationError } from '../../api/errors';
import { sentenceOf } from '../../n8n/error-words';
import { given } from '../../api/json';
import { awaitEnd } from './await-end';
import type { AwaitedEnd } from './await-end';
import { itemOf } from './output';
import { failedItem, nodeErrorOf } from './node-error';
import { isTool, openExecution } from './node-execution';
import type { NodeExecution } from './node-execution';
import type { Operation } from './operation';
import { RESOURCES } from './resources';
import { mayRest, rest, restingItem } from './rest';

const ITEMS_BETWEEN_PAUSES = 20;
/** Enough ids for people who read the error. */
const MAX_NAMED = 10;

const STARTS = ['upload', 'start', 'retryFailed'];
/** As many characters as n8n keeps. */
const MAX_NOTED = 255;

/** The chosen operation in one run of the node. */
interface Run extends NodeExecution {
  readonly operation: Operation;
  /** It runs once for all items, not for each. */
  readonly isTogether: boolean;
}

/** Runs the chosen operation for each item, or once for all. Only the router handles "continue on fail". */
export async function route(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  const operation = operationOf(context);
  const isTogether = context.getInputData().length > 1 && operation.together?.(context) === true;
  return [await runItems({ ...openExecution(context), operation, isTogether })];
}

/**
 * Begins the items in their order, as many at once as the operation allows, and returns their output in this order.
 * After a failure no further item begins. Those that run end first, and the error names what was uploaded.
 */
async function runItems(execution: Run): Promise<INodeExecutionData[]> {
  const { context, operation, isTogether } = execution;
  const runs = isTogether ? 1 : context.getInputData().length;
  const outputs: INodeExecutionData[][] = [];
  const errors: unknown[] = [];
  const resting = mayRest(context) ? new Map<number, AwaitedEnd>() : undefined;
  const running: Promise<void>[] = [];
  const slots = new Slots(() => operation.atOnce ?? 1);
  for (let itemIndex = 0; itemIndex < runs; itemIndex += 1) {
    const next = await slots.enter();
    if (errors.length > 0) break;
    const item = runItem(execution, itemIndex, { next, resting }).then(
      (output) => void (outputs[itemIndex] = output),
      (error: unknown) => void (errors[itemIndex] = error),
    );
    running.push(item.finally(next));
    // A refused item waits for nothing. Without a pause, many of them would stop everything else that n8n does.
    if (itemIndex % ITEMS_BETWEEN_PAUSES === 0) await n8nClock.sleep(0);
  }
  await Promise.all(running);
  if (resting !== undefined && resting.size > 0 && !(await rest(execution, outputs.flat(), resting)))
    await Promise.all(
      [...resting].map(async ([index, end]) => void (outputs[index] = await ended(execution, index, end))),
    );
  const output = outputs.flat();
  if (STARTS.includes(String(operation.option.value))) noteIds(context, output);
  for (const error of errors.flat()) throw withIds(error, output);
  return output;
}

/**
 * What began here, as "Highlighted data" of the execution: n8n finds executions by it. n8n may refuse it, which is no
 * failure of what began.
 */
function noteIds(context: IExecuteFunctions, output: readonly INodeExecutionData[]): void {
  for (const name of ['workflowId', 'uploadId', 'batchId']) {
    const ids = output.map(({ json }) => json[name]).filter((id) => typeof id === 'string');
    if (ids.length === 0) continue;
    try {
      context.customData.set(name, [...new Set(ids)].join(' ').slice(0, MAX_NOTED));
    } catch (error) {
      const { name: node } = context.getNode();
      context.logger.warn(`${node}: n8n did not note ${name} as highlighted data: ${sentenceOf(error)}`);
    }
  }
}

/** n8n drops the output of a node that fails, so the error names what other items have started or uploaded. */
function withIds(error: unknown, output: readonly INodeExecutionData[]): unknown {
  const ids = output
    .map(({ json }) => json['mediaId'] ?? json['workflowId'])
    .filter((id) => typeof id === 'string');
  if (!(error instanceof NodeOperationError || error instanceof NodeApiError) || ids.length === 0)
    return error;
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  const kept = `Other items were uploaded or started: ${ids.slice(0, MAX_NAMED).join(', ')}${more}.`;
  error.description = [error.description, kept].filter(Boolean).join(' ');
  return error;
}

interface ItemRun {
  /** Lets the next item begin. */
  readonly next: () => void;
  /** Takes the end that the item awaits. Undefined: the execution can't rest. */
  readonly resting: Map<number, AwaitedEnd> | undefined;
}

function runItem(
  execution: Run,
  itemIndex: number,
  { next, resting }: ItemRun,
): Promise<INodeExecutionData[]> {
  return continuing(execution, itemIndex, async () => {
    const output = await execution.operation.execute(execution, itemIndex, next);
    if (Array.isArray(output)) return output;
    next();
    if (resting === undefined || output.pairedItem !== undefined) return ended(execution, itemIndex, output);
    resting.set(itemIndex, output);
    return [restingItem(output, itemIndex)];
  });
}

/** The output of an end that is awaited in this execution. */
function ended(execution: Run, itemIndex: number, end: AwaitedEnd): Promise<INodeExecutionData[]> {
  return continuing(execution, itemIndex, async () => {
    const json = await awaitEnd(execution, await execution.door(itemIndex), end);
    return [{ ...itemOf(json, itemIndex), ...given({ pairedItem: end.pairedItem }) }];
  });
}

/** A failure is the item's output if the node continues on errors. */
async function continuing(
  { context, signal, isTogether }: Run,
  itemIndex: number,
  run: () => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
  try {
    return await run();
  } catch (error) {
    const nodeError = nodeErrorOf(context.getNode(), error, itemIndex);
    // n8n recognises a canceled run by this word.
    if (signal?.aborted === true) nodeError.message = 'The execution was canceled';
    // An agent gets the message only.
    else if (isTool(context)) nodeError.message = sentenceOf(error);
    if (signal?.aborted === true || !context.continueOnFail()) throw nodeError;
    const failed = failedItem(nodeError, itemIndex);
    if (!isTogether) return [failed];
    return [{ ...failed, pairedItem: context.getInputData().map((_item, item) => ({ item })) }];
  }
}

/** The same for all items: n8n takes no expression in these fields. */
function operationOf(context: IExecuteFunctions): Operation {
  const [resource, operation] = ['resource', 'operation'].map((name): unknown =>
    context.getNodeParameter(name, 0),
  );
  const { operations = [] } = RESOURCES.find(({ option }) => option.value === resource) ?? {};
  const found = operations.find(({ option }) => option.value === operation);
  if (found !== undefined) return found;
  const what = `This node has no operation "${String(operation)}" of "${String(resource)}"`;
  throw nodeErrorOf(context.getNode(), new ValidationError('operation', what));
}
