import { listBatches } from '../../../temporal/batch/client/list-batches';
import { openBatch } from '../../../temporal/batch/client/open-batch';
import { batchNameOf } from '../../../temporal/batch/ids';
import { controlOperations } from '../control';
import type { Resource } from '../operation';
import { BATCH_ID, batchWorkflowOf } from './fields/batch-id';
import { get } from './get.operation';
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
  workflowOf: batchWorkflowOf,
  idsOf: (workflowId) => ({ batchId: batchNameOf(workflowId) }),
  // Functions, so that n8n's start loads neither.
  open: (connection, workflowId) => openBatch(connection, workflowId),
  list: (connection, asked) => listBatches(connection, asked),
});

export const batchResource: Resource = {
  option: { name: 'Batch', value: 'batch' },
  operations: [start, cancel, get, getMany, pause, resume, retryFailed, wait],
};
