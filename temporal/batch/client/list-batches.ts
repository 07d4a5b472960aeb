import { given } from '../../../api/json';
import { controlQueue, DEFAULT_QUEUE_PREFIX } from '../../upload/types';
import { BATCH_WORKFLOW } from '../types';
import type { BatchCounts, BatchMemo } from '../types';
import type { TemporalConnection } from '../../client/connect';
import { endedWithin, listExecutions, quoted, readable, statusOf } from '../../client/list-executions';
import type { Execution } from '../../client/list-executions';
import { askTemporal } from '../../client/rpc-failure';

const DEFAULT_LIMIT = 100;

export interface ListBatches {
  /** Only batches of this account. Default: all of the namespace. */
  readonly accountId?: string;
  /** Needed to find an account's queue. Default `media-service`. */
  readonly queuePrefix?: string;
  /** Only batches that run. */
  readonly running?: boolean;
  /** Only batches that ended within [from, to), epoch ms, with or without success. */
  readonly ended?: { readonly from: number; readonly to: number };
  /** Default 100. */
  readonly limit?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface BatchListing {
  readonly workflowId: string;
  readonly runId: string;
  /**
   * The status as Temporal names it: RUNNING, COMPLETED, FAILED, CANCELLED, TERMINATED, TIMED_OUT. `readBatchListing`
   * also knows CANCELLING.
   */
  readonly status: string;
  readonly startedAt: Date;
  /** Unset: it has not ended. */
  readonly closedAt?: Date;
  readonly batchId?: string;
  /** The id of the codec key that encrypts manifest, folder and counts, and is missing here. */
  readonly unreadable?: string;
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
  {
    accountId,
    queuePrefix = DEFAULT_QUEUE_PREFIX,
    running = false,
    ended,
    limit = DEFAULT_LIMIT,
    signal,
  }: ListBatches = {},
): Promise<BatchListing[]> {
  const query = [
    `WorkflowType = ${quoted(BATCH_WORKFLOW)}`,
    ...(running ? ['ExecutionStatus = "Running"'] : []),
    ...(accountId === undefined ? [] : [`TaskQueue = ${quoted(controlQueue(queuePrefix, accountId))}`]),
    ...(ended === undefined ? [] : [endedWithin(ended)]),
  ].join(' AND ');
  if (ended !== undefined) return listExecutions(connection, query, { limit, signal, listingOf });
  const seen = new Set<string>();
  const latestOf = (run: Execution): BatchListing | undefined => {
    if (seen.has(run.workflowId)) return undefined;
    seen.add(run.workflowId);
    return listingOf(run);
  };
  return listExecutions(connection, query, { limit, signal, listingOf: latestOf });
}

/**
 * One batch as lists show it: its latest run. Rejects with `RequestRefused` if Temporal does not
 * know it (any more).
 */
export async function readBatchListing(
  connection: TemporalConnection,
  workflowId: string,
): Promise<BatchListing> {
  return askTemporal(connection, workflowId, async () => {
    const description = await connection.lister.workflow.getHandle(workflowId).describe();
    return { ...listingOf(readable(description)), status: statusOf(description) };
  });
}

function listingOf(info: Execution): BatchListing {
  const { workflowId, runId, status, startTime, closeTime, memo, unreadable } = info;
  const { batchId, manifest, folder, counts }: BatchMemo = memo ?? {};
  return {
    workflowId,
    runId,
    status: status.name,
    startedAt: startTime,
    ...given({ closedAt: closeTime, batchId, manifest, folder, counts, unreadable }),
  };
}
