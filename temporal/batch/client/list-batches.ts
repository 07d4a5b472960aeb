import { given } from '../../../api/json';
import { BATCH_WORKFLOW } from '../types';
import type { BatchMemo } from '../types';
import type { TemporalConnection } from '../../client/connect';
import { isNamed, listExecutions, quoted, readExecution } from '../../client/list-executions';
import type { ListChoice, Listing } from '../../client/list-executions';

/** `counts` are those that the batch noted last. For an ended batch, these are its final counts. */
export type BatchListing = Listing & Pick<BatchMemo, 'batchId' | 'manifest' | 'folder' | 'counts'>;

/**
 * Batches within the namespace's retention, newest first. Shows each batch's latest run.
 * With `ended`, shows every run that ended in that period. Reads only Temporal's index, which can lag by seconds.
 */
export async function listBatches(
  connection: TemporalConnection,
  list: ListChoice = {},
): Promise<BatchListing[]> {
  const seen = new Set<string>();
  const { status, ...choice } = list;
  const isShown = (run: Listing): boolean => status?.some((one) => one === run.status) ?? true;
  return listExecutions(connection, [`WorkflowType = ${quoted(BATCH_WORKFLOW)}`], {
    ...choice,
    // Of others, Temporal must list every run: the latest one says how the batch ended.
    ...(status?.every((one) => one === 'RUNNING') === true ? { status } : {}),
    show: (run, memo) => {
      if (list.ended === undefined && seen.has(run.workflowId)) return undefined;
      seen.add(run.workflowId);
      const listing = batchListing(run, memo);
      return isShown(run) && isNamed(list, listing.batchId) ? listing : undefined;
    },
  });
}

/** One batch as lists show it. Rejects as `readExecution`. */
export async function readBatchListing(
  connection: TemporalConnection,
  workflowId: string,
): Promise<BatchListing> {
  return readExecution(connection, workflowId, batchListing);
}

function batchListing(listing: Listing, { batchId, manifest, folder, counts }: BatchMemo): BatchListing {
  return { ...listing, ...given({ batchId, manifest, folder, counts }) };
}
