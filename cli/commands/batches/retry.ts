import type { Command } from 'commander';
import { readBatchInput } from '../../../temporal/batch/client/open-batch';
import { retryFailedRows } from '../../../temporal/batch/client/start-batch';
import { batchNeed } from '../../../temporal/client/living-workers';
import { withBatch } from '../../batch/batch-folder';
import { addHelp } from '../../context';
import type { CliContext } from '../../context';
import { withWait } from '../../flags/options';
import { reportBatchStart } from './start';

/** `media-service batches retry ID`: uploads again what failed in a batch. */
export function addBatchesRetry(batches: Command, context: CliContext): void {
  const command = batches
    .command('retry')
    .description('Upload again the rows of an ended batch that failed, were cancelled or never started.')
    .argument('<id>', 'as `batches start` and `batches list` show it');
  addHelp(
    withWait(command),
    'Prints what `batches start` prints. Completed rows stay; the results get new lines for retried rows.',
    ['media-service batches retry harbour-1a2b3c4d --wait', 'media-service batches show harbour-1a2b3c4d'],
  ).action((id: string, { wait = false }: { readonly wait?: boolean }) =>
    withBatch(context, id, async ({ connection, workflowId }) => {
      const input = await readBatchInput(connection, workflowId);
      const need = batchNeed({ ...input, accountId: input.account.accountId });
      const handle = await retryFailedRows(connection, workflowId);
      if (handle.joined) {
        context.terminal.note(`${id}: no row failed or was cancelled, so there is nothing to retry.`);
        return;
      }
      await reportBatchStart(context, connection, { handle, need, wait });
    }),
  );
}
