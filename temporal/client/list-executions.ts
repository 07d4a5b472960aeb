import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { TemporalConnection } from './connect';
import { errorOfRpc } from './rpc-failure';

const MAX_PAGE = 1000;

/** What lists and descriptions of workflows have in common. */
export type Execution = Omit<WorkflowExecutionInfo, 'raw'>;

/**
 * Executions that a visibility query finds, newest first, but for those of which `listingOf` makes nothing; from Temporal's index, which can lag by
 * seconds.
 */
export async function listExecutions<Listing>(
  connection: TemporalConnection,
  query: string,
  {
    limit,
    signal,
    listingOf,
  }: {
    readonly limit: number;
    readonly signal?: AbortSignal | undefined;
    readonly listingOf: (execution: Execution) => Listing | undefined;
  },
): Promise<Listing[]> {
  const found: Listing[] = [];
  try {
    const pageSize = Math.min(limit, MAX_PAGE);
    for await (const execution of connection.client.workflow.list({ query, pageSize })) {
      if (found.length >= limit) break;
      signal?.throwIfAborted();
      const listing = listingOf(execution);
      if (listing !== undefined) found.push(listing);
    }
  } catch (error) {
    throw errorOfRpc(connection, undefined, error);
  }
  return found;
}

/** A text as visibility queries write it. */
export function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** The part of a query that asks for ends within [from, to), epoch ms. */
export function endedWithin({ from, to }: { readonly from: number; readonly to: number }): string {
  const [since, until] = [from, to].map((ms) => quoted(new Date(ms).toISOString()));
  return `CloseTime >= ${since} AND CloseTime < ${until}`;
}
