import type { Command } from 'commander';
import { accountId } from '../../../api/account';
import { locationText } from '../../../files/file-location';
import { readSettings } from '../../../settings/settings';
import { startBatch } from '../../../temporal/batch/client/start-batch';
import { requireWorkers } from '../../../temporal/client/unserved-queues';
import { batchNeed } from '../../../temporal/client/living-workers';
import { DEFAULT_QUEUE_PREFIX } from '../../../temporal/upload/types';
import type { Preparing } from '../../batch/check-before-start';
import { hostOf, prepareBatch } from '../../batch/prepare-batch';
import type { PreparedBatch } from '../../batch/prepare-batch';
import { reportBatchStart } from '../../batch/report-start';
import { withManifest } from '../../batch/manifest-argument';
import { checkedAccount } from '../../checked-account';
import { withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { withBatchFlags } from '../../flags/batch-flags';
import type { BatchFlags } from '../../flags/batch-flags';
import { addHelp } from '../../command-help';

/** `media-service batch start MANIFEST`: uploads every file of a manifest. */
export function addBatchStart(batch: Command, context: CliContext): void {
  const command = withBatchFlags(
    batch
      .command('start')
      .description(
        'Upload every file of a manifest; uploads continue without this terminal and after restarts.',
      )
      .argument('<manifest>', 'CSV or JSON lines: a path, an http(s) URL, s3://bucket/key, or - for stdin'),
  );
  addHelp(command, {
    output:
      'The id, the number of rows (after at most half a minute) and the next commands. --json: {"batchId",' +
      '"workflowId","joined","rows"}, with "waitReason":{"code","message","hint"} and its exit code if the plan can\'t be made ' +
      'now. With --watch: as `batch watch`. If no worker is running, the batch starts with a ' +
      'warning and waits for one; "waitReason" then has the code NoWorker, which is not an error.\n' +
      'The manifest is checked first; if it has mistakes, all of them are listed and nothing is started. The same command joins ' +
      'the running batch, and starts an ended one again: it uploads what is missing.\n' +
      'Files of completed rows may be gone by then; a file that has changed is an error of its row, or see --upload-changed.\n' +
      "Relative paths start in the manifest's folder. After the start, Ctrl-C and SIGTERM detach: the batch continues.",
    exits: [
      'CONFIGURATION',
      'SERVICE',
      'NETWORK',
      'TEMPORAL',
      'NO_WORKER',
      'SOURCE',
      'CANCELLED',
      'UPLOAD_DIFFERS',
      'OUTPUT',
      'ROWS_FAILED',
    ],
    examples: [
      { says: 'Start and watch', run: 'media-service batch start harbour.csv --watch' },
      {
        says: 'From a pipe, with the results in S3',
        run: 'jq -c .files[] export.json | media-service batch start - --id harbour --to s3://archive/batches/harbour',
      },
    ],
  }).action((manifest: string, flags: BatchFlags) => start(context, manifest, flags));
}

async function start(context: CliContext, text: string, flags: BatchFlags): Promise<void> {
  const preparing = { context, settings: readSettings(context.env), flags };
  await withManifest(context, { text, flags, host: hostOf(preparing) }, async (manifest) =>
    startPrepared(preparing, await prepareBatch(preparing, manifest)),
  );
}

async function startPrepared(
  { context, settings, flags }: Preparing,
  { bring, ...prepared }: PreparedBatch,
): Promise<void> {
  const account = checkedAccount(settings);
  const queuePrefix = settings.queuePrefix ?? DEFAULT_QUEUE_PREFIX;
  await withTemporal(settings, async (connection) => {
    const need = batchNeed({ ...prepared, queuePrefix, accountId: accountId(account) });
    if (flags.requireWorker === true) await requireWorkers(connection, need);
    await bring?.();
    context.interrupts.first.throwIfAborted();
    const handle = await startBatch(connection, {
      ...prepared,
      account,
      queuePrefix,
      serviceOptions: settings.options,
    });
    await reportBatchStart(context, connection, {
      handle,
      need,
      here: settings.host,
      watch: flags.watch === true,
      json: flags.json === true,
      ...(flags.to === undefined ? { resultsAt: locationText(prepared.folder) } : {}),
    });
  });
}
