import type { Command } from 'commander';
import { readBatchInput, retryFailedRows } from '../../../temporal/batch/client/open-batch';
import { requireWorkers } from '../../../temporal/client/unserved-queues';
import { batchNeed } from '../../../temporal/client/living-workers';
import { withBatch } from '../../batch/batch-folder';
import { reportBatchStart } from './start';
import type { CliContext } from '../../context';
import { REQUIRE_WORKER } from '../../flags/upload-flags';
import { addHelp } from '../../command-help';

interface RetryFlags {
  readonly requireWorker?: boolean;
  readonly watch?: boolean;
  readonly json?: boolean;
}

export function addBatchRetryFailed(batch: Command, context: CliContext): void {
  const command = batch
    .command('retry-failed')
    .description('Upload again the rows of an ended batch that failed, were cancelled or never started.')
    .argument('<id>', 'as `batch start` and `batch list` show it')
    .option('--watch', 'watch the batch until it ends')
    .option(...REQUIRE_WORKER);
  addHelp(command, {
    output: 'As `batch start`. Completed rows stay; the results get new lines for retried rows.',
    exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL', 'NO_WORKER', 'UPLOAD_DIFFERS', 'ROWS_FAILED'],
    examples: [
      { says: 'Retry, and watch', run: 'media-service batch retry-failed harbour-1a2b3c4d --watch' },
      { says: 'Why they failed', run: 'media-service batch show harbour-1a2b3c4d' },
    ],
  }).action((id: string, flags: RetryFlags) =>
    withBatch(context, id, async ({ connection, settings, workflowId }) => {
      const input = await readBatchInput(connection, workflowId);
      const need = batchNeed({ ...input, accountId: input.account.accountId });
      if (flags.requireWorker === true) await requireWorkers(connection, need);
      const handle = await retryFailedRows(connection, workflowId);
      await reportBatchStart(context, connection, {
        handle,
        need,
        here: settings.host,
        watch: flags.watch === true,
        json: flags.json === true,
      });
    }),
  );
}
