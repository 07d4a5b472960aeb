import type { Command } from 'commander';
import { readBatchInput } from '../../../temporal/batch/client/open-batch';
import { retryFailedRows } from '../../../temporal/batch/client/start-batch';
import { batchNeed } from '../../../temporal/client/living-workers';
import { withBatch } from '../../batch/batch-folder';
import { reportBatchStart } from './start';
import type { CliContext } from '../../context';
import { addHelp } from '../../command-help';

interface RetryFlags {
  readonly wait?: boolean;
  readonly json?: boolean;
}

export function addBatchesRetry(batches: Command, context: CliContext): void {
  const command = batches
    .command('retry')
    .description('Upload again the rows of an ended batch that failed, were cancelled or never started.')
    .argument('<id>', 'as `batches start` and `batches list` show it')
    .option('--wait', 'wait for the end, with a progress bar on a terminal');
  addHelp(
    command,
    'Prints what `batches start` prints. Completed rows stay; the results get new lines for retried rows.',
    [
      ['Retry, and wait', 'media-service batches retry harbour-1a2b3c4d --wait'],
      ['Why they failed', 'media-service batches show harbour-1a2b3c4d'],
    ],
  ).action((id: string, flags: RetryFlags) =>
    withBatch(context, id, async ({ connection, settings, workflowId }) => {
      const input = await readBatchInput(connection, workflowId);
      const need = batchNeed({ ...input, accountId: input.account.accountId });
      const handle = await retryFailedRows(connection, workflowId);
      await reportBatchStart(context, connection, {
        handle,
        need,
        here: settings.host,
        wait: flags.wait === true,
        json: flags.json === true,
      });
    }),
  );
}
