import type { WorkflowExecutionDescription, WorkflowExecutionInfo } from '@temporalio/client';
import type { TemporalConnection } from './connect';
import { unreadableKeyOf } from '../codec';
import { errorOfRpc } from './rpc-failure';

/** The caller's own filters drop executions. With tiny pages, each dropped one would cost a call. */
const MIN_PAGE = 100;
const MAX_PAGE = 1000;

/** The fields that lists and descriptions of workflows have in common. */
export type Execution = Omit<WorkflowExecutionInfo, 'raw'> & {
  /** The id of a codec key that is missing here. The memo then lacks what it encrypts. */
  readonly unreadable?: string;
};

/** A running workflow was asked to cancel, and has not ended yet. Only descriptions know it, lists don't. */
export function isCancelling({ status, raw }: WorkflowExecutionDescription): boolean {
  return status.name === 'RUNNING' && raw.workflowExtendedInfo?.cancelRequested === true;
}

/** The status that a description shows: `CANCELLING` until a cancel has taken effect. */
export function statusOf(description: WorkflowExecutionDescription): string {
  return isCancelling(description) ? 'CANCELLING' : description.status.name;
}

/** The execution without what could not be read. */
export function readable(execution: Execution): Execution {
  const memo = Object.entries(execution.memo ?? {});
  const [unreadable] = memo.flatMap(([, value]) => unreadableKeyOf(value) ?? []);
  if (unreadable === undefined) return execution;
  const known = memo.filter(([, value]) => unreadableKeyOf(value) === undefined);
  return { ...execution, memo: Object.fromEntries(known), unreadable };
}

interface ListedExecutions<Listing> {
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
  /** Undefined drops the execution. */
  readonly listingOf: (execution: Execution) => Listing | undefined;
}

/**
 * Executions that a visibility query finds, in Temporal's order: first those that run, then the others, latest end
 * first. Reads the index, which can lag by seconds.
 */
export async function listExecutions<Listing>(
  connection: TemporalConnection,
  query: string,
  { limit, signal, listingOf }: ListedExecutions<Listing>,
): Promise<Listing[]> {
  const pageSize = Math.min(Math.max(limit, MIN_PAGE), MAX_PAGE);
  const found: Listing[] = [];
  try {
    for await (const execution of connection.lister.workflow.list({ query, pageSize })) {
      signal?.throwIfAborted();
      if (found.length >= limit) break;
      const listing = listingOf(readable(execution));
      if (listing !== undefined) found.push(listing);
    }
    return found;
  } catch (error) {
    throw errorOfRpc(connection, undefined, error);
  }
}

/** A text in the form that visibility queries use. */
export function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** The part of a query that selects ends within [from, to), epoch ms. */
export function endedWithin({ from, to }: { readonly from: number; readonly to: number }): string {
  const [since, until] = [from, to].map((ms) => quoted(new Date(ms).toISOString()));
  return `CloseTime >= ${since} AND CloseTime < ${until}`;
}
