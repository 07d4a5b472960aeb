import type { Command } from 'commander';
import { openBatch } from '../../../temporal/batch/client/open-batch';
import { withBatch } from '../../batch/batch-ids';
import { watchBatch } from '../../batch/watch-batch';
import type { CliContext } from '../../context';
import { addHelp } from '../../command-help';

export function addBatchWatch(batch: Command, context: CliContext): void {
  const command = batch
    .command('watch')
    .description('Watch a batch until it ends: done, running, failed, rate, time left, bytes.')
    .argument('<id>', 'as `batch start` and `batch list` show it');
  addHelp(command, {
    output:
      'A live table on a terminal, lines elsewhere; at the end the counts and the location of the results.\n' +
      '--json: one object per line for each change {"batchId","phase","round","counts":{"rows","completed","failed",' +
      '"cancelled","running","waiting","earlier","bytes"},"pages","pagesDone","rowsPerSecond","leftMs"}, the last one with ' +
      '"phase":"ended" and "results":{"jsonl","csv","failed"}.\n' +
      'Ctrl-C and SIGTERM detach: the batch continues.',
    exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL', 'CANCELLED', 'UPLOAD_DIFFERS', 'ROWS_FAILED'],
    examples: [
      { says: 'Watch a batch again after Ctrl-C', run: 'media-service batch watch harbour-1a2b3c4d' },
      {
        says: 'Location of its results, once it has ended',
        run: 'media-service batch watch harbour-1a2b3c4d --json | tail -1 | jq -r .results.csv',
      },
    ],
  }).action((id: string, flags: { readonly json?: boolean }) =>
    withBatch(context, id, ({ connection, workflowId }) =>
      watchBatch(context, openBatch(connection, workflowId), { json: flags.json === true }),
    ),
  );
}
