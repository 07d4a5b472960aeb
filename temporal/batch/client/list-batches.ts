import { given } from '../../../api/json';
import { BATCH_WORKFLOW } from '../types';
import type { BatchCounts, BatchMemo } from '../types';
import type { TemporalConnection } from '../../client/connect';
import { listExecutions, quoted, readExecution } from '../../client/list-executions';
import type { ListChoice, Listing } from '../../client/list-executions';

export interface ListBatches extends ListChoice {
  /** Only batches that run. */
  readonly running?: boolean;
}

export interface BatchListing extends Listing {
  readonly batchId?: string;
  /** File name, or scheme, host and last segment of a URL. */
  readonly manifest?: string;
  /** The folder of the results, in the form that `parseLocation` reads. */
  readonly folder?: string;
  /** The counts that the batch noted last. For an ended batch, these are its final counts. */
  readonly counts?: BatchCounts;
}

/**
 * Batches within the namespace's retention, newest first. Shows each batch's latest run.
 * With `ended`, shows every run that ended in that period. Reads only Temporal's index, which can lag by seconds.
 */
export async function listBatches(
  connection: TemporalConnection,
  list: ListBatches = {},
): Promise<BatchListing[]> {
  const conditions = [
    `WorkflowType = ${quoted(BATCH_WORKFLOW)}`,
    ...(list.running === true ? ['ExecutionStatus = "Running"'] : []),
  ];
  const seen = new Set<string>();
  return listExecutions(connection, conditions, {
    ...list,
    show: (run, memo) => {
      if (list.ended === undefined && seen.has(run.workflowId)) return undefined;
      seen.add(run.workflowId);
      return batchListing(run, memo);
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
