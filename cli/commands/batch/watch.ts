import type { Command } from 'commander';
import { readSettings } from '../../../settings/settings';
import { openBatch } from '../../../temporal/client/batch/open-batch';
import { batchWorkflowOf } from '../../batch/batch-ids';
import { watchBatch } from '../../batch/watch-batch';
import { withTemporal, type CliContext } from '../../context';
import { addHelp } from '../../command-help';

export function addBatchWatch(batch: Command, context: CliContext): void {
  const command = batch
    .command('watch')
    .description('Watch a batch to its end: done, running, failed, rate, time left, bytes.')
    .argument('<id>', 'as `batch start` and `batch list` show it');
  addHelp(command, {
    output:
      'A live table on a terminal, lines elsewhere; at the end the counts and where the account lies.\n' +
      '--json: one object a line whenever something changed {"batchId","phase","round","counts":{"rows","completed","failed",' +
      '"cancelled","running","waiting","earlier","bytes"},"pages","pagesDone","rowsPerSecond","leftMs"}, the last one with ' +
      '"phase":"ended" and "account":{"jsonl","csv","failed"}.\n' +
      'Ctrl-C once detaches (the batch goes on), twice cancels; SIGTERM detaches.',
    exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL', 'CANCELLED', 'UPLOAD_DIFFERS', 'ROWS_FAILED'],
    examples: [
      { says: 'See a batch again after Ctrl-C', run: 'media-service batch watch harbour-1a2b3c4d' },
      {
        says: 'Where its account lies, once it has ended',
        run: 'media-service batch watch harbour-1a2b3c4d --json | tail -1 | jq -r .account.csv',
      },
    ],
  }).action(async (id: string, flags: { readonly json?: boolean }) => {
    const settings = readSettings();
    const workflowId = batchWorkflowOf(settings, id);
    await withTemporal(settings, (connection) =>
      watchBatch(context, openBatch(connection, workflowId), { json: flags.json === true }),
    );
  });
}
