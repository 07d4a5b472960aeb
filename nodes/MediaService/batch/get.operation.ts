import { shownWait } from '../../../api/advice';
import { N8N_WORDS } from '../../../n8n/n8n-words';
import { hasCode } from '../../../api/errors';
import { openBatch } from '../../../temporal/batch/client/open-batch';
import type { LiveBatch } from '../../../temporal/batch/client/open-batch';
import { readBatchListing } from '../../../temporal/batch/client/list-batches';
import type { BatchListing } from '../../../temporal/batch/client/list-batches';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { waitReasonOf } from '../../../temporal/client/wait-reason';
import { plainItem } from '../items';
import type { Operation } from '../operation';
import { BATCH_ID, batchWorkflowOf } from './fields/batch-id';
import { whyEnded } from './why-ended';
import { batchNameOf } from '../../../temporal/batch/ids';

/** Batch > Get: its progress while it runs, and the location of its results after it has ended. */
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
    const known = { batchId: batchNameOf(workflowId), ...listing, phase: 'ended' };
    return [plainItem({ ...known, ...state }, itemIndex)];
  },
};

/** The fields that lists do not have. */
async function stateOf(
  connection: TemporalConnection,
  listing: BatchListing,
  signal: AbortSignal | undefined,
): Promise<object> {
  const { workflowId, status, closedAt } = listing;
  const handle = openBatch(connection, workflowId);
  if (closedAt === undefined) return handle.progress().then(shownProgress, waiting);
  if (status === 'COMPLETED') return handle.result(signal);
  return whyEnded(connection, listing, signal);
}

function shownProgress(progress: LiveBatch): object {
  const {
    pagesRunning: _pagesRunning,
    ended: _ended,
    startedAt: _startedAt,
    waitReason,
    ...shown
  } = progress;
  return { ...shown, waitReason: shownWait(N8N_WORDS, waitReason) };
}

/** Without a worker, the phase is unknown, and the counts are the last ones that the batch noted. */
function waiting(error: unknown): object {
  if (!hasCode(error, 'NoWorker')) throw error;
  return { phase: undefined, waitReason: shownWait(N8N_WORDS, waitReasonOf(error)) };
}
