import { given } from '../../../api/json';
import { controlQueue, DEFAULT_QUEUE_PREFIX } from '../../upload/types';
import { BATCH_WORKFLOW } from '../types';
import type { BatchCounts, BatchMemo } from '../types';
import type { TemporalConnection } from '../../client/connect';
import { endedWithin, listExecutions, quoted, readable, statusOf } from '../../client/list-executions';
import type { Execution } from '../../client/list-executions';
import { askTemporal } from '../../client/rpc-failure';
import { passedOverFor, runningBatch } from './running-batch';

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
 * Batches within the namespace's retention, newest first. Shows for each batch its latest run that was not refused.
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
    // A run that continued as new is not a separate batch.
    running ? 'ExecutionStatus = "Running"' : 'ExecutionStatus != "ContinuedAsNew"',
    ...(accountId === undefined ? [] : [`TaskQueue = ${quoted(controlQueue(queuePrefix, accountId))}`]),
    ...(ended === undefined ? [] : [endedWithin(ended)]),
  ].join(' AND ');
  if (ended !== undefined) return listExecutions(connection, query, { limit, signal, listingOf });
  const runs = new LatestRuns();
  const found = await listExecutions(connection, query, {
    limit,
    signal,
    listingOf: (run) => (runs.isLatest(run) ? listingOf(run) : undefined),
  });
  if (found.length === limit) return found;
  const alone = runs.forgotten().map(listingOf);
  return [...found, ...alone].sort((a, b) => b.startedAt.getTime() - a.startedAt.getTime()).slice(0, limit);
}

/** Picks the run that represents each batch. Runs must come newest first. */
class LatestRuns {
  readonly #latest = new Set<string>();
  readonly #skipped = new Map<string, Execution>();

  isLatest(run: Execution): boolean {
    const { workflowId } = run;
    if (this.#latest.has(workflowId)) return false;
    if (passedOverFor(run) !== undefined) {
      if (!this.#skipped.has(workflowId)) this.#skipped.set(workflowId, run);
      return false;
    }
    this.#latest.add(workflowId);
    return true;
  }

  /**
   * Skipped runs of batches whose representing run Temporal no longer knows. Nothing else is left of these batches.
   */
  forgotten(): Execution[] {
    return [...this.#skipped.values()].filter(({ workflowId }) => !this.#latest.has(workflowId));
  }
}

/**
 * One batch as lists show it: its latest run that was not refused. Rejects with `RequestRefused` if Temporal does not
 * know it (any more).
 */
export async function readBatchListing(
  connection: TemporalConnection,
  workflowId: string,
): Promise<BatchListing> {
  return askTemporal(connection, workflowId, async () => {
    const description = await runningBatch(connection.lister, workflowId);
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
