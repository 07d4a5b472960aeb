import { controlQueue, DEFAULT_QUEUE_PREFIX } from '../../contract';
import { BATCH_WORKFLOW } from '../../contract/batch';
import type { BatchCounts, BatchMemo } from '../../contract/batch';
import type { TemporalConnection } from '../connect';
import { endedWithin, listExecutions, quoted, type Execution } from '../list-executions';
import { errorOfRpc } from '../rpc-failure';
import { passedOverFor, standingBatch } from './standing-batch';

const DEFAULT_LIMIT = 100;

export interface ListBatches {
  /** Only this account's. Default: all of the namespace. */
  readonly accountId?: string;
  /** Needed to find an account's queue. Default `media-service`. */
  readonly queuePrefix?: string;
  /** Only what ended within [from, to), epoch ms, however it ended. */
  readonly ended?: { readonly from: number; readonly to: number };
  /** Default 100. */
  readonly limit?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface BatchListing {
  readonly workflowId: string;
  readonly runId: string;
  /** As Temporal calls it: RUNNING, COMPLETED, FAILED, CANCELLED, TERMINATED, TIMED_OUT. */
  readonly status: string;
  readonly startedAt: Date;
  readonly closedAt?: Date;
  readonly batchId?: string;
  /** File name, or scheme, host and last segment of a URL. */
  readonly manifest?: string;
  /** Where the account is written, as `parsePlace` reads it. */
  readonly folder?: string;
  /** As the batch noted them last; of a batch that has ended they are its counts. */
  readonly counts?: BatchCounts;
}

/**
 * Batches within the namespace's retention, newest first, each as its latest run that was not refused; with `ended` every run that ended then. From
 * Temporal's index alone, which can lag by seconds.
 */
export async function listBatches(
  connection: TemporalConnection,
  { accountId, queuePrefix = DEFAULT_QUEUE_PREFIX, ended, limit = DEFAULT_LIMIT, signal }: ListBatches = {},
): Promise<BatchListing[]> {
  const query = [
    `WorkflowType = ${quoted(BATCH_WORKFLOW)}`,
    // A run that continued as new is no batch of its own.
    'ExecutionStatus != "ContinuedAsNew"',
    ...(accountId === undefined ? [] : [`TaskQueue = ${quoted(controlQueue(queuePrefix, accountId))}`]),
    ...(ended === undefined ? [] : [endedWithin(ended)]),
  ].join(' AND ');
  if (ended !== undefined) return listExecutions(connection, query, { limit, signal, listingOf });
  const runs = new StandingRuns();
  const found = await listExecutions(connection, query, {
    limit,
    signal,
    listingOf: (run) => (runs.isStanding(run) ? listingOf(run) : undefined),
  });
  if (found.length === limit) return found;
  const alone = runs.forgotten().map(listingOf);
  return [...found, ...alone].sort((a, b) => b.startedAt.getTime() - a.startedAt.getTime()).slice(0, limit);
}

/** Picks of each batch the run that says what it is, of runs told newest first. */
class StandingRuns {
  readonly #standing = new Set<string>();
  readonly #passedOver = new Map<string, Execution>();

  isStanding(run: Execution): boolean {
    const { workflowId } = run;
    if (this.#standing.has(workflowId)) return false;
    if (passedOverFor(run) !== undefined) {
      if (!this.#passedOver.has(workflowId)) this.#passedOver.set(workflowId, run);
      return false;
    }
    this.#standing.add(workflowId);
    return true;
  }

  /** Runs that were passed over for one that Temporal knows no more: nothing else is left of their batches. */
  forgotten(): Execution[] {
    return [...this.#passedOver.values()].filter(({ workflowId }) => !this.#standing.has(workflowId));
  }
}

/** One batch as lists show it: its latest run that was not refused. Rejects with `RequestRefused` where Temporal does not know it (any more). */
export async function readBatchListing(
  connection: TemporalConnection,
  workflowId: string,
): Promise<BatchListing> {
  try {
    return listingOf(await standingBatch(connection, workflowId));
  } catch (error) {
    throw errorOfRpc(connection, workflowId, error);
  }
}

function listingOf({ workflowId, runId, status, startTime, closeTime, memo }: Execution): BatchListing {
  const { batchId, manifest, folder, counts }: BatchMemo = memo ?? {};
  return {
    workflowId,
    runId,
    status: status.name,
    startedAt: startTime,
    ...(closeTime === undefined ? {} : { closedAt: closeTime }),
    ...(batchId === undefined ? {} : { batchId }),
    ...(manifest === undefined ? {} : { manifest }),
    ...(folder === undefined ? {} : { folder }),
    ...(counts === undefined ? {} : { counts }),
  };
}
