import { systemClock } from '../../api/clock';
import { openBatch } from '../../temporal/batch/client/open-batch';
import type { LiveBatch } from '../../temporal/batch/client/open-batch';
import type { BatchListing } from '../../temporal/batch/client/list-batches';
import type { TemporalConnection } from '../../temporal/client/connect';
import { formatCount } from '../output/units';
import { batchNameOf } from '../../temporal/batch/ids';

/** Each of these batches and its pages receives queries. For further ones, the last recorded counts are enough. */
const MAX_ASKED = 20;
/** A running worker answers sooner. For one that has just gone, Temporal would wait longer. */
const ANSWERED_WITHIN_MS = 4_000;

/** `phase`: set for a running batch that answers. */
export type ListedBatch = BatchListing & Partial<Pick<LiveBatch, 'phase'>>;

/**
 * Returns the listed batches, with current counts for the newest running ones. They must answer within four seconds,
 * which they share. Never rejects.
 */
export async function withNewestCounts(
  connection: TemporalConnection,
  batches: readonly BatchListing[],
): Promise<ListedBatch[]> {
  const by = systemClock.now() + ANSWERED_WITHIN_MS;
  const asked = batches
    .filter(({ status }) => status === 'RUNNING')
    .slice(0, MAX_ASKED)
    .map(async ({ workflowId }) => {
      const { phase, counts } = await openBatch(connection, workflowId).progress({ by });
      return [workflowId, phase === 'planning' ? { phase } : { phase, counts }] as const;
    });
  const answers = await Promise.allSettled(asked);
  const live = new Map(answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : [])));
  return batches.map((listing) => ({ ...listing, ...live.get(listing.workflowId) }));
}

/** Returns how a batch ended from its user's view. In Temporal a batch with failed rows is COMPLETED. */
export function endStatus({ status, counts }: Pick<BatchListing, 'status' | 'counts'>): string {
  if (status !== 'COMPLETED' || counts === undefined) return status;
  if (counts.failed > 0) return 'FAILED';
  return counts.cancelled > 0 ? 'CANCELLED' : status;
}

function statusText(listed: ListedBatch): string {
  const { phase, counts } = listed;
  const status = endStatus(listed);
  if (phase !== undefined) return `${status} (${phase})`;
  if (status === listed.status || counts === undefined) return status;
  const rows = status === 'FAILED' ? counts.failed : counts.cancelled;
  return `${status} ${formatCount(rows)} of ${formatCount(counts.rows)}`;
}

/** Returns the cells of a batch's line. Unknown values are empty. */
export function listedRow(listed: ListedBatch, wholeId: boolean): Record<string, string> {
  const { workflowId, startedAt, manifest, counts } = listed;
  return {
    status: statusText(listed),
    done: counts === undefined ? '' : `${formatCount(counts.completed)} of ${formatCount(counts.rows)}`,
    failed: counts === undefined ? '' : formatCount(counts.failed),
    started: startedAt.toISOString(),
    manifest: manifest ?? '',
    batch: wholeId ? workflowId : batchNameOf(workflowId),
  };
}
