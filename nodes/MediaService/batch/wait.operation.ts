import { itemOf } from '../items';
import { WAITS_AT_ONCE } from '../operation';
import type { Operation } from '../operation';
import { awaitBatch } from './await-batch';
import { BATCH_ID, batchIdOf } from './fields/batch-id';

/** Batch > Wait: waits for the end of a batch that was started before. */
export const wait: Operation = {
  option: {
    name: 'Wait',
    value: 'wait',
    description: 'Wait for the end of a batch that was started before',
    action: 'Wait for a batch',
  },
  parameters: [BATCH_ID],

  atOnce: WAITS_AT_ONCE,

  async execute(execution, itemIndex) {
    const id = batchIdOf(execution.context, itemIndex);
    const result = await awaitBatch(execution, await execution.door(itemIndex), id);
    return [itemOf(result, itemIndex)];
  },
};
