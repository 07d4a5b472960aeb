import { textAt } from '../../../api/json';
import { pathOf } from '../access/door';
import { WAITS_AT_ONCE } from '../operation';
import type { Operation } from '../operation';
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

  async execute({ context, door }, itemIndex) {
    const batchId = batchIdOf(context, itemIndex);
    // The form may have the short id.
    const shown = await (await door(itemIndex)).get(pathOf('batches', batchId));
    return { list: 'batches', workflowId: textAt(shown, ['id']) ?? batchId };
  },
};
