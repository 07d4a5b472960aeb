import type { IExecuteFunctions, INodeExecutionData, IPairedItemData } from 'n8n-workflow';
import { given } from '../../../api/json';
import { pathOf } from '../access/door';
import { itemOf } from '../output';
import type { Operation } from '../operation';
import { choices, field } from '../../../n8n/form-fields';
import { choiceField, LIMIT, limitOf, requiredText, RETURN_ALL } from '../parameters';
import { BATCH_ID } from './batch-fields';

const OUTCOMES = ['COMPLETED', 'FAILED', 'CANCELLED'] as const;

/** Batch > Get Results: an item for each row that has ended so far, also while the batch runs. */
export const getResults: Operation = {
  option: {
    name: 'Get Results',
    value: 'getResults',
    description: 'Get how each row of a batch ended, as an item for each row',
    action: 'Get results of a batch',
  },
  parameters: [
    BATCH_ID,
    field('outcome', {
      type: 'options',
      default: 'all',
      options: choices(['all', ...OUTCOMES]),
      description: 'Only rows that ended so',
    }),
    RETURN_ALL,
    LIMIT,
  ],

  async execute({ context, door }, itemIndex) {
    const { limit = Number.POSITIVE_INFINITY } = limitOf(context, itemIndex);
    const outcome: unknown = context.getNodeParameter('outcome', itemIndex, 'all');
    const status = outcome === 'all' ? undefined : choiceField(outcome, 'outcome', OUTCOMES);
    const path = pathOf('batches', requiredText(context, BATCH_ID, itemIndex), 'results');
    const pairOf = pairsOf(context, itemIndex);
    const items: INodeExecutionData[] = [];
    for await (const { error, ...row } of (await door(itemIndex)).lines(path, given({ status }))) {
      // n8n takes an item with a text in `error` for one that this node failed on.
      const json = { ...row, ...(error === undefined ? {} : { failure: error }) };
      items.push({ ...itemOf(json, itemIndex), pairedItem: pairOf(Number(row['line'])) });
      if (items.length >= limit) break;
    }
    return items;
  },
};

/**
 * The item that a row came from, if the node before is the Batch > Start that made the rows of its input items, otherwise
 * the item of the batch. Rows count from 1.
 */
function pairsOf(context: IExecuteFunctions, itemIndex: number): (row: number) => IPairedItemData {
  const batch: IPairedItemData = { item: itemIndex };
  const before = context.getExecuteData().source?.['main']?.[0];
  if (before == null) return () => batch;
  const { previousNode, previousNodeOutput = 0, previousNodeRun = 0 } = before;
  const { $items } = context.getWorkflowDataProxy(itemIndex) as { readonly $items: ItemsOf };
  const { json, pairedItem } = $items(previousNode, previousNodeOutput, previousNodeRun)[itemIndex] ?? {};
  const isIts = [json?.['batchId'], json?.['workflowId']].includes(
    requiredText(context, BATCH_ID, itemIndex),
  );
  const [first, ...others] = isIts && Array.isArray(pairedItem) ? pairedItem : [];
  const source = first?.sourceOverwrite;
  if (source === undefined) return () => batch;
  return (row) => (row <= 1 + others.length ? { item: row - 1, sourceOverwrite: source } : batch);
}

/** Whole items, also in a workflow with files in its JSON. */
type ItemsOf = (node: string, output: number, run: number) => readonly INodeExecutionData[];
