import { controlOperations } from '../control';
import type { Resource } from '../operation';
import { BATCH_ID } from './fields/batch-id';
import { getResults } from './getResults.operation';
import { retryFailed } from './retryFailed.operation';
import { start } from './start.operation';

const others = [
  getResults,
  retryFailed,
  ...controlOperations({
    one: 'batch',
    article: 'a',
    many: 'batches',
    pauses: 'Begin no new rows and pause running uploads',
    cancelNote:
      'Running uploads end, and the batch results are written. If you start it again under the same ID, the batch continues where it stopped.',
    id: BATCH_ID,
  }),
];

export const batchResource: Resource = {
  option: { name: 'Batch', value: 'batch' },
  // The first one is chosen by itself.
  operations: [start, ...others.sort((a, b) => (a.option.name < b.option.name ? -1 : 1))],
};
