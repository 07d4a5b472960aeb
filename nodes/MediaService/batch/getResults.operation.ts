import type { INodeExecutionData } from 'n8n-workflow';
import { given } from '../../../api/json';
import { pathOf } from '../access/door';
import { itemOf } from '../items';
import type { Operation } from '../operation';
import { choiceField, LIMIT, limitOf, RETURN_ALL } from '../parameters';
import { BATCH_ID, batchIdOf } from './fields/batch-id';

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
    {
      displayName: 'Outcome',
      name: 'outcome',
      type: 'options',
      default: 'all',
      options: [
        { name: 'All', value: 'all' },
        { name: 'Cancelled', value: 'CANCELLED' },
        { name: 'Completed', value: 'COMPLETED' },
        { name: 'Failed', value: 'FAILED' },
      ],
      description: 'Only rows that ended so',
    },
    RETURN_ALL,
    LIMIT,
  ],

  async execute({ context, door }, itemIndex) {
    const { limit = Number.POSITIVE_INFINITY } = limitOf(context, itemIndex);
    const outcome: unknown = context.getNodeParameter('outcome', itemIndex, 'all');
    const status = outcome === 'all' ? undefined : choiceField(outcome, 'Outcome', OUTCOMES);
    const path = pathOf('batches', batchIdOf(context, itemIndex), 'results');
    const items: INodeExecutionData[] = [];
    for await (const { error, ...row } of (await door(itemIndex)).lines(path, given({ status }))) {
      // n8n takes an item with a text in `error` for one that this node failed on.
      items.push(itemOf({ ...row, ...(error === undefined ? {} : { failure: error }) }, itemIndex));
      if (items.length >= limit) break;
    }
    return items;
  },
};
