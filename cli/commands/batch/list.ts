import type { Command } from 'commander';
import { accountId } from '../../../api/account/account-id';
import { readSettings, requireAccount } from '../../../settings/settings';
import { listBatches, type BatchListing } from '../../../temporal/client/batch/list-batches';
import { batchAccountOf, batchNameOf } from '../../batch/batch-ids';
import { noteNoWorker } from '../../batch/note-no-worker';
import { formatCount } from '../../batch/batch-text';
import { withTemporal, type CliContext } from '../../context';
import { wholeNumber } from '../../flags/option-values';
import { teach } from '../../help-text';
import { createTextTable } from '../../output/text-table';

interface ListFlags {
  readonly limit: number;
  readonly everyAccount?: boolean;
  readonly json?: boolean;
}

export function addBatchList(batch: Command, context: CliContext): void {
  const command = batch
    .command('list')
    .description('List batches, newest first; they stay visible for the namespace’s retention.')
    .option('--limit <n>', 'at most n', wholeNumber(1), 20)
    .option('--every-account', 'those of all accounts in the namespace');
  teach(command, {
    output:
      'A table of batches with their counts as noted last; `batch show` asks for the newest. --json: one batch a line\n' +
      '{"workflowId","runId","status","startedAt","closedAt","batchId","manifest","folder","counts"}.\n' +
      'Temporal’s index can lag by a second or two.',
    exits: ['CONFIGURATION', 'TEMPORAL'],
    examples: [
      { says: 'The last twenty', run: 'media-service batch list' },
      {
        says: 'Ids of all with failed rows',
        run: "media-service batch list --limit 1000 --json | jq -r 'select(.counts.failed>0).batchId'",
      },
    ],
  }).action((flags: ListFlags) => list(context, flags));
}

async function list({ terminal, interrupts }: CliContext, flags: ListFlags): Promise<void> {
  const settings = readSettings();
  const filter = {
    limit: flags.limit,
    signal: interrupts.first,
    ...(settings.queuePrefix === undefined ? {} : { queuePrefix: settings.queuePrefix }),
    ...(flags.everyAccount === true ? {} : { accountId: accountId(requireAccount(settings)) }),
  };
  const found = await withTemporal(settings, async (connection) => {
    const batches = await listBatches(connection, filter);
    const running = batches.filter(({ status }) => status === 'RUNNING');
    const accountIds = new Set(running.map(({ workflowId }) => batchAccountOf(workflowId)));
    const waits = 'Batches that run wait for one.';
    await noteNoWorker({ terminal, connection, settings, accountIds, waits });
    return batches;
  });
  if (flags.json === true) {
    for (const listing of found) await terminal.json(listing);
    return;
  }
  const rows = found.map((listing) => rowOf(listing, flags.everyAccount === true));
  if (rows.length > 0) await terminal.data(createTextTable(rows, Object.keys(rows[0] ?? {}))(rows));
  terminal.note(`${found.length} batch${found.length === 1 ? '' : 'es'}.`);
}

function rowOf(
  { status, workflowId, startedAt, manifest, counts }: BatchListing,
  wholeIds: boolean,
): Record<string, string> {
  return {
    status,
    done: counts === undefined ? '' : `${formatCount(counts.completed)} of ${formatCount(counts.rows)}`,
    failed: counts === undefined ? '' : formatCount(counts.failed),
    started: startedAt.toISOString(),
    manifest: manifest ?? '',
    batch: wholeIds ? workflowId : batchNameOf(workflowId),
  };
}
