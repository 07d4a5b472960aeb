import { MediaServiceError } from '../../../api/errors';
import type { LiveBatch } from '../../../temporal/client/batch/batch-handle';
import { readBatchListing } from '../../../temporal/client/batch/list-batches';
import type { BatchListing } from '../../../temporal/client/batch/list-batches';
import { openBatch } from '../../../temporal/client/batch/open-batch';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { heldUpOf } from '../../../temporal/client/held-up-by';
import { plainItem } from '../items';
import type { Operation } from '../operation';
import { BATCH_ID, batchIdOf, batchWorkflowOf } from './fields/batch-id';
import { whyEnded } from './why-ended';

/** Batch > Get: where it stands while it runs, and where its account lies once it has ended. */
export const get: Operation = {
  option: {
    name: 'Get',
    value: 'get',
    description: 'Get the counts, the phase and the results folder of a batch',
    action: 'Get a batch',
  },
  parameters: [BATCH_ID],

  async execute(execution, itemIndex) {
    const workflowId = await batchWorkflowOf(execution, itemIndex);
    const { connection } = await execution.temporal(itemIndex);
    const listing = await readBatchListing(connection, workflowId);
    const state = await stateOf(connection, listing, execution.signal);
    const known = { batchId: batchIdOf(workflowId), ...listing, phase: 'ended' };
    return [plainItem({ ...known, ...state }, itemIndex)];
  },
};

/** What the lists do not tell. */
async function stateOf(
  connection: TemporalConnection,
  listing: BatchListing,
  signal: AbortSignal | undefined,
): Promise<object> {
  const { workflowId, status } = listing;
  const handle = openBatch(connection, workflowId);
  if (status === 'RUNNING') return handle.progress().then(shownProgress, waiting);
  if (status === 'COMPLETED') return handle.result(signal);
  return whyEnded(connection, listing, signal);
}

function shownProgress(progress: LiveBatch): object {
  const { pagesRunning: _pagesRunning, ended: _ended, startedAt: _startedAt, ...shown } = progress;
  return shown;
}

/** Without a worker nobody knows the phase; the counts are those that the batch noted last. */
function waiting(error: unknown): object {
  if (!(error instanceof MediaServiceError) || error.code !== 'NoWorker') throw error;
  return { phase: undefined, heldUpBy: heldUpOf(error) };
}
