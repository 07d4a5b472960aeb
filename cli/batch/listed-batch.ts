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

/** The cells of a batch's line; what is not known is empty. */
export function listedRow(
  { status, workflowId, startedAt, manifest, counts, phase }: ListedBatch,
  wholeId: boolean,
): Record<string, string> {
  return {
    status: phase === undefined ? status : `${status} (${phase})`,
    done: counts === undefined ? '' : `${formatCount(counts.completed)} of ${formatCount(counts.rows)}`,
    failed: counts === undefined ? '' : formatCount(counts.failed),
    started: startedAt.toISOString(),
    manifest: manifest ?? '',
    batch: wholeId ? workflowId : batchNameOf(workflowId),
  };
}
