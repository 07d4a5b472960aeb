import { pathOf } from '../access/door';
import type { Operation } from '../operation';
import { BATCH_ID } from './batch-fields';
import { requiredText, waitOf } from '../parameters';
import { startBatch, WAIT } from './start-batch';

/**
 * Batch > Retry Failed: starts an ended batch again for rows that failed or were cancelled. Without such rows, its
 * result stays.
 */
export const retryFailed: Operation = {
  option: {
    name: 'Retry Failed',
    value: 'retryFailed',
    description: 'Start an ended batch again for the rows that failed or were cancelled',
    action: 'Retry failed rows of a batch',
  },
  parameters: [BATCH_ID, WAIT],

  async execute(execution, itemIndex, next) {
    const path = pathOf('batches', requiredText(execution.context, BATCH_ID, itemIndex), 'retry');
    const wait = waitOf(execution.context, itemIndex);
    const door = await execution.door(itemIndex);
    return startBatch(execution, {
      ...{ itemIndex, wait, next, isRepeatable: false },
      start: () => door.post(path, undefined, { query: { plan: true }, once: true }),
    });
  },
};
