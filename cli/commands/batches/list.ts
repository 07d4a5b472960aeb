import { given } from '../../../api/json';
import type { Command } from 'commander';
import { accountIdOf, readSettings } from '../../../settings/settings';
import { listBatches } from '../../../temporal/batch/client/list-batches';
import type { BatchListing } from '../../../temporal/batch/client/list-batches';
import { unservedQueues } from '../../../temporal/client/unserved-queues';
import { DEFAULT_QUEUE_PREFIX } from '../../../temporal/upload/types';
import { withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { numberFrom } from '../../flags/option-values';
import { addHelp } from '../../command-help';
import { noteNoWorker } from '../../missing-worker';
import { printList } from '../../output/print-records';
import { batchAccountOf, batchNameOf } from '../../../temporal/batch/ids';
import { systemClock } from '../../../api/clock';
import { openBatch } from '../../../temporal/batch/client/open-batch';
import type { LiveBatch } from '../../../temporal/batch/client/open-batch';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { formatCount } from '../../output/plain-text';

interface ListFlags {
  readonly limit: number;
  readonly json?: boolean;
}

export function addBatchesList(batches: Command, context: CliContext): void {
  const command = batches
    .command('list')
    .description('List batches, newest first, within the retention time of the namespace.')
    .option('--limit <n>', 'maximum number to list', numberFrom(1), 20);
  addHelp(
    command,
    "Prints one line per batch, newest first; with --json one object per line. FAILED 2 of 12 means that the batch has ended, and two of its twelve rows failed. Temporal's index can be a second or two behind.",
    [
      ['The last twenty', 'media-service batches list'],
      [
        'Ids of all batches with failed rows',
        "media-service batches list --limit 1000 --json | jq -r 'select(.counts.failed>0).batchId'",
      ],
    ],
  ).action((flags: ListFlags) => list(context, flags));
}

async function list({ terminal, interrupts, env }: CliContext, flags: ListFlags): Promise<void> {
  const settings = readSettings(env);
  const filter = {
    limit: flags.limit,
    signal: interrupts.first,
    ...given({ queuePrefix: settings.queuePrefix }),
    accountId: accountIdOf(settings),
  };
  const found = await withTemporal(settings, async (connection) => {
    const batches = await listBatches(connection, filter);
    const running = batches.filter(({ status }) => status === 'RUNNING');
    const listed = await withNewestCounts(connection, batches);
    const { queuePrefix = DEFAULT_QUEUE_PREFIX } = settings;
    for (const accountId of new Set(running.map(({ workflowId }) => batchAccountOf(workflowId)))) {
      const unserved = await unservedQueues(connection, { queuePrefix, accountId, hosts: [] });
      noteNoWorker(terminal, unserved, 'Running batches wait for one.');
    }
    return listed;
  });
  const shown = (listing: ListedBatch): object => ({ ...listing, status: endStatus(listing) });
  const json = flags.json === true ? shown : undefined;
  await printList(terminal, found, { json, row: listedRow, noun: 'batch', plural: 'batches' });
}

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
export function listedRow(listed: ListedBatch): Record<string, string> {
  const { workflowId, startedAt, manifest, counts } = listed;
  return {
    status: statusText(listed),
    done: counts === undefined ? '' : `${formatCount(counts.completed)} of ${formatCount(counts.rows)}`,
    failed: counts === undefined ? '' : formatCount(counts.failed),
    started: startedAt.toISOString(),
    manifest: manifest ?? '',
    batch: batchNameOf(workflowId),
  };
}
