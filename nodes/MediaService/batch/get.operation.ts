import { pathOf } from '../access/door';
import { shownFields } from '../await-end';
import { itemOf } from '../items';
import type { Operation } from '../operation';
import { BATCH_ID, batchIdOf } from './fields/batch-id';

/** Batch > Get: its progress while it runs, and the location of its results after it has ended. */
export const get: Operation = {
  option: {
    name: 'Get',
    value: 'get',
    description: 'Get the counts, the phase and the results folder of a batch',
    action: 'Get a batch',
  },
  parameters: [BATCH_ID],

  async execute({ context, door }, itemIndex) {
    const shown = await (await door(itemIndex)).get(pathOf('batches', batchIdOf(context, itemIndex)));
    const phase = shown['endedAt'] === undefined ? {} : { phase: 'ended' };
    return [itemOf({ ...shownFields(shown), ...phase }, itemIndex)];
  },
};
