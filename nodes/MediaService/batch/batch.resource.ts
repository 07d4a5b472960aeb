import { controlOperations } from '../control';
import type { Resource } from '../operation';
import { BATCH_ID, batchIdOf } from './fields/batch-id';
import { get } from './get.operation';
import { getResults } from './getResults.operation';
import { retryFailed } from './retryFailed.operation';
import { start } from './start.operation';
import { wait } from './wait.operation';

const { cancel, getMany, pause, resume } = controlOperations({
  one: 'batch',
  many: 'batches',
  pauses: 'Begin no new rows and pause running uploads',
  cancelNote:
    'Running uploads end, and the batch results are written. If you start it again under the same ID, the batch continues where it stopped.',
  id: BATCH_ID,
  // A function, so that n8n's start is literal.
  idOf: (context, itemIndex) => batchIdOf(context, itemIndex),
  idsOf: (workflowId) => ({ batchId: workflowId.slice(workflowId.lastIndexOf('/') + 1) }),
});

export const batchResource: Resource = {
  option: { name: 'Batch', value: 'batch' },
  operations: [start, cancel, get, getMany, getResults, pause, resume, retryFailed, wait],
};
