import { systemClock } from '../../api/system-clock';
import type { LiveBatch } from '../../temporal/client/batch/batch-handle';
import type { BatchListing } from '../../temporal/client/batch/list-batches';
import { openBatch } from '../../temporal/client/batch/open-batch';
import type { TemporalConnection } from '../../temporal/client/connect';
import { batchNameOf } from './batch-ids';
import { formatCount } from './batch-text';

/** Each is asked, and its pages are: of more it is enough to know what was noted last. */
const MOST_ASKED = 20;
/** A worker that lives answers sooner; for one that has just gone Temporal would wait longer. */
const ANSWERED_WITHIN_MS = 4_000;

/** `phase`: of one that runs and answers. */
export type ListedBatch = BatchListing & Partial<Pick<LiveBatch, 'phase'>>;

/**
 * The batches as listed, but the newest of those that run with the counts that they have now, as far as they answer within four seconds, which they
 * share. Never rejects.
 */
export async function withNewestCounts(
  connection: TemporalConnection,
  batches: readonly BatchListing[],
): Promise<ListedBatch[]> {
  const by = systemClock.now() + ANSWERED_WITHIN_MS;
  const asked = batches
    .filter(({ status }) => status === 'RUNNING')
    .slice(0, MOST_ASKED)
    .map(async ({ workflowId }) => {
      const { phase, counts } = await openBatch(connection, workflowId).progress({ by });
      return [workflowId, phase === 'planning' ? { phase } : { phase, counts }] as const;
    });
  const answers = await Promise.allSettled(asked);
  const live = new Map(answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : [])));
  return batches.map((listing) => ({ ...listing, ...live.get(listing.workflowId) }));
}

/** How a batch ended for its user: to Temporal one whose rows failed has completed. */
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

/** The cells of a batch's line; what is not known is empty. */
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
