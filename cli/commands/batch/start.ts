import type { Command } from 'commander';
import { accountId } from '../../../api/account/account-id';
import { placeText } from '../../../places/place-text';
import { readSettings } from '../../../settings/settings';
import { startBatch } from '../../../temporal/client/batch/start-batch';
import { requireWorkers } from '../../../temporal/client/unserved-queues';
import { batchNeed } from '../../../temporal/client/worker-need';
import { DEFAULT_QUEUE_PREFIX } from '../../../temporal/contract';
import {
  prepareBatch,
  prepareFromStdin,
  type PreparedBatch,
  type Preparing,
} from '../../batch/prepare-batch';
import { reportBatchStart } from '../../batch/report-start';
import { withStdinManifest } from '../../batch/stdin-manifest';
import { checkedAccount } from '../../checked-account';
import { withTemporal, type CliContext } from '../../context';
import { withBatchFlags, type BatchFlags } from '../../flags/batch-flags';
import { addHelp } from '../../command-help';

/** `media-service batch start MANIFEST`: uploads every file that a manifest names. */
export function addBatchStart(batch: Command, context: CliContext): void {
  const command = withBatchFlags(
    batch
      .command('start')
      .description(
        'Upload every file that a manifest names; what is started survives this terminal, workers and restarts.',
      )
      .argument('<manifest>', 'CSV or JSON lines: a path, an http(s) URL, s3://bucket/key, or - for stdin'),
  );
  addHelp(command, {
    output:
      'The id, the number of rows (it waits half a minute for the plan) and the commands that come next. --json: {"batchId",' +
      '"workflowId","joined","rows"}, with "heldUpBy":{"code","message","hint"} and its exit code where the plan cannot be made for ' +
      'now; with --watch, or where the batch has ended before, as `batch watch`. A batch for which no worker is there is started ' +
      'with a warning, and waits for one: "heldUpBy" has the code NoWorker then, and that is no error.\n' +
      'The manifest is checked first, and all mistakes are told at once; nothing is started then. The same command joins the ' +
      'batch it started; where that was cancelled, or the manifest grew (anywhere), it goes on with what is missing.\n' +
      'Relative paths begin at the manifest’s folder. Once it is started, Ctrl-C detaches (the batch goes on), twice cancels; SIGTERM detaches.',
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
        says: 'From a pipe, with the account in S3',
        run: 'jq -c .files[] export.json | media-service batch start - --id harbour --to s3://archive/batches/harbour',
      },
    ],
  }).action((manifest: string, flags: BatchFlags) => start(context, manifest, flags));
}

async function start(context: CliContext, text: string, flags: BatchFlags): Promise<void> {
  const settings = readSettings();
  const preparing = { context, settings, flags };
  if (text !== '-') return startPrepared(preparing, await prepareBatch(preparing, text));
  if (process.stdin.isTTY) context.terminal.note('Reading the manifest from this terminal; Ctrl-D ends it.');
  await withStdinManifest(process.stdin, async (stdin) =>
    startPrepared(preparing, await prepareFromStdin(preparing, stdin)),
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
      ...(flags.to === undefined ? { accountAt: placeText(prepared.folder) } : {}),
    });
  });
}
