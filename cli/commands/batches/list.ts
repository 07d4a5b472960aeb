import type { Command } from 'commander';
import { listBatches } from '../../../temporal/batch/client/list-batches';
import type { BatchListing } from '../../../temporal/batch/client/list-batches';
import { withAccount, addHelp } from '../../context';
import type { CliContext } from '../../context';
import { numberFrom } from '../../flags/options';
import { printList } from '../../output/print-records';
import { batchNameOf } from '../../../temporal/batch/ids';
import { formatCount } from '../../output/plain-text';

export function addBatchesList(batches: Command, context: CliContext): void {
  const command = batches
    .command('list')
    .description('List batches, newest first, within the retention time of the namespace.')
    .option('--limit <n>', 'maximum number to list', numberFrom(1), 20);
  addHelp(
    command,
    'Prints one line per batch, newest first; with --json one object per line. FAILED 2 of 12 means that the batch has ended, and two of its twelve rows failed. Counts of a running batch can be a minute old; `batches show` has the newest.',
    [
      'media-service batches list',
      "media-service batches list --limit 1000 --json | jq -r 'select(.counts.failed>0).batchId'",
    ],
  ).action(async ({ limit }: { readonly limit: number }) => {
    const { terminal, interrupts } = context;
    const found = await withAccount(context, ({ connection, settings: { queuePrefix }, accountId }) =>
      listBatches(connection, { limit, accountId, queuePrefix, signal: interrupts.first }),
    );
    await printList(terminal, found, {
      json: (listing) => ({ ...listing, status: endStatus(listing) }),
      ...{ row: listedRow, noun: 'batch', plural: 'batches' },
    });
  });
}

/** Returns how a batch ended from its user's view. In Temporal a batch with failed rows is COMPLETED. */
export function endStatus({ status, counts }: Pick<BatchListing, 'status' | 'counts'>): string {
  if (status !== 'COMPLETED' || counts === undefined) return status;
  if (counts.failed > 0) return 'FAILED';
  return counts.cancelled > 0 ? 'CANCELLED' : status;
}

function statusText(listed: BatchListing): string {
  const { counts } = listed;
  const status = endStatus(listed);
  if (status === listed.status || counts === undefined) return status;
  const rows = status === 'FAILED' ? counts.failed : counts.cancelled;
  return `${status} ${formatCount(rows)} of ${formatCount(counts.rows)}`;
}

/** Returns the cells of a batch's line. Unknown values are empty. */
export function listedRow(listed: BatchListing): Record<string, string> {
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
