import type { IExecuteFunctions } from 'n8n-workflow';
import type { RetryingService } from '../../api/service/service';
import { openService } from './access/service';
import { workerOf } from './access/door';
import type { Door } from './access/door';

/** One run of the node: what its operations share. Opened at the first use. */
export interface NodeExecution {
  readonly context: IExecuteFunctions;
  /** Aborts when the execution is cancelled. */
  readonly signal: AbortSignal | undefined;
  /** The account of the item's credential. */
  readonly service: (itemIndex: number) => Promise<RetryingService>;
  /** The worker of the item's credential. If none is chosen, rejects with an error that says what to do. */
  readonly door: (itemIndex: number) => Promise<Door>;
}

const FOR_BATCH =
  'Batches always run on workers. Choose one; without a worker, Upload > Upload takes the files one by one.';
const FOR_UPLOAD =
  'Choose one, or run the upload in n8n. To read an upload inside n8n, use Get or Wait with its upload ID; to end it, stop its execution.';

export function openExecution(context: IExecuteFunctions): NodeExecution {
  const services = new Map<string, RetryingService>();
  const signal = context.getExecutionCancelSignal();
  return {
    context,
    signal,
    async service(itemIndex) {
      const data = await context.getCredentials<Record<string, unknown>>('mediaServiceApi', itemIndex);
      const key = JSON.stringify({ ...data, accessToken: '' });
      const opened = services.get(key) ?? openService(context.helpers, data);
      services.set(key, opened);
      return opened;
    },
    async door(itemIndex) {
      const isBatch = context.getNodeParameter('resource', itemIndex) === 'batch';
      return workerOf(context, {
        what: 'This operation',
        todo: isBatch ? FOR_BATCH : FOR_UPLOAD,
        itemIndex,
        signal,
      });
    },
  };
}

/** Whether an AI agent calls the node. Newer agents run their tools as other nodes, with this ending of their type. */
export function isTool(context: IExecuteFunctions): boolean {
  return context.isToolExecution() || context.getNode().type.endsWith('Tool');
}

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
