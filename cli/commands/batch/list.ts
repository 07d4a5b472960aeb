import type { Command } from 'commander';
import { accountIdOf, readSettings } from '../../../settings/settings';
import { listBatches } from '../../../temporal/batch/client/list-batches';
import { unservedQueues } from '../../../temporal/client/unserved-queues';
import { DEFAULT_QUEUE_PREFIX } from '../../../temporal/upload/types';
import { endStatus, listedRow, withNewestCounts } from '../../batch/listed-batch';
import { withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { numberFrom } from '../../flags/option-values';
import { addHelp } from '../../command-help';
import { noteNoWorker } from '../../note-no-worker';
import { createTextTable } from '../../output/text-table';
import { batchAccountOf } from '../../../temporal/batch/ids';

interface ListFlags {
  readonly limit: number;
  readonly everyAccount?: boolean;
  readonly json?: boolean;
}

export function addBatchList(batch: Command, context: CliContext): void {
  const command = batch
    .command('list')
    .description('List batches, newest first, within the retention time of the namespace.')
    .option('--limit <n>', 'maximum number to list', numberFrom(1), 20)
    .option('--every-account', 'list batches of all accounts in the namespace');
  addHelp(command, {
    output:
      'One line per batch. FAILED 2 of 12: the batch has ended, and two of its twelve rows failed. The newest twenty running batches ' +
      'show current counts if they respond within four seconds, otherwise their last saved counts. A start that was refused, or ' +
      'cancelled before its manifest was read, has no line. --json: one batch per line {"workflowId","runId","status","phase",' +
      '"startedAt","closedAt","batchId","manifest","folder","counts"}. Temporal\'s index can be a second or two behind.',
    exits: ['CONFIGURATION', 'TEMPORAL'],
    examples: [
      { says: 'The last twenty', run: 'media-service batch list' },
      {
        says: 'Ids of all batches with failed rows',
        run: "media-service batch list --limit 1000 --json | jq -r 'select(.counts.failed>0).batchId'",
      },
    ],
  }).action((flags: ListFlags) => list(context, flags));
}

async function list({ terminal, interrupts, env }: CliContext, flags: ListFlags): Promise<void> {
  const settings = readSettings(env);
  const filter = {
    limit: flags.limit,
    signal: interrupts.first,
    ...(settings.queuePrefix === undefined ? {} : { queuePrefix: settings.queuePrefix }),
    ...(flags.everyAccount === true ? {} : { accountId: accountIdOf(settings) }),
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
  if (flags.json === true) {
    for (const listing of found) await terminal.json({ ...listing, status: endStatus(listing) });
    return;
  }
  const rows = found.map((listing) => listedRow(listing, flags.everyAccount === true));
  if (rows.length > 0)
    await terminal.data(
      createTextTable(rows, { preferred: Object.keys(rows[0] ?? {}), columns: terminal.columns })(rows),
    );
  terminal.note(`${found.length} batch${found.length === 1 ? '' : 'es'}.`);
}
