import type { Command } from 'commander';
import { accountId } from '../../api/account/account-id';
import type { Account } from '../../api/account/account';
import { readSettings, type Settings } from '../../settings/settings';
import type { TemporalConnection } from '../../temporal/client/connect';
import { requireWorker } from '../../temporal/client/pollers';
import { startUpload } from '../../temporal/client/start-upload';
import { DEFAULT_QUEUE_PREFIX } from '../../temporal/contract';
import { checkedAccount } from '../checked-account';
import { withTemporal, type CliContext } from '../context';
import { exitCodeOf } from '../exit-codes';
import { teach } from '../help-text';
import { renderError } from '../errors/render-error';
import { ReportedFailure } from '../errors/reported-failure';
import { planUploads, WrongFiles, type PlannedUpload } from '../uploads/upload-plan';
import { plainJson, plainLine } from '../output/plain-text';
import { uploadDoubts } from '../uploads/upload-doubts';
import { withUploadFlags, type UploadFlags } from '../flags/upload-flags';
import { waitForUploads } from '../uploads/wait-for-uploads';
import type { WatchedUpload } from '../uploads/watch-uploads';

/** `media-service upload FILE…`: starts durable uploads and, if asked, waits for them. */
export function addUpload(program: Command, context: CliContext): void {
  const command = withUploadFlags(
    program
      .command('upload')
      .description(
        'Upload files durably through Temporal: what is started survives this terminal, workers and restarts.',
      )
      .argument('<file...>', 'paths, http(s) URLs or s3://bucket/key'),
  );
  teach(command, {
    output:
      'One line per upload. --json: one JSON object a line, in the order of their ends:\n' +
      'without --wait {"file","workflowId","joined"};\n' +
      'with --wait {"file","workflowId","joined","uploadId","mediaId","status","fileUrl","bytes","parts":[{"partNumber",\n' +
      '"eTag","verified","bytes","attempts","ms"}],"durations","retries","orphans","orphansVerifiable"}.\n' +
      'The same file with the same title joins its earlier upload; --again uploads it once more.\n' +
      'Ctrl-C once detaches (the upload goes on), twice cancels; SIGTERM detaches.',
    exits: [
      'CONFIGURATION',
      'TEMPORAL',
      'NO_WORKER',
      'SOURCE',
      'UPLOAD_FAILED',
      'STILL_PROCESSING',
      'CANCELLED',
      'UPLOAD_DIFFERS',
    ],
    examples: [
      {
        says: 'Upload and watch',
        run: 'media-service upload harbour.mp4 --wait --title "Harbour at dawn" --tag project=apollo',
      },
      {
        says: 'Start many, wait in a script',
        run: 'media-service upload clips/*.mp4 --wait --json | jq -r .mediaId',
      },
    ],
  }).action((files: string[], flags: UploadFlags) => upload(context, files, flags));
}

async function upload(context: CliContext, files: readonly string[], flags: UploadFlags): Promise<void> {
  const settings = readSettings();
  const account = checkedAccount(settings);
  const { maxParts, ingestTag } = settings.options;
  const place = { account, host: settings.host, cwd: context.cwd, maxParts, ingestTag };
  const planned = await planUploads(files, flags, place).catch((error: unknown) => {
    throw error instanceof WrongFiles ? reported(context, error, flags) : error;
  });
  await tellDoubts(context, planned, { settings, json: flags.json === true });
  await withTemporal(settings, async (connection) => {
    await requireWorkers(connection, planned, { account, settings });
    const started: WatchedUpload[] = [];
    for (const { file, request } of planned) {
      context.interrupts.first.throwIfAborted();
      const handle = await startUpload(connection, {
        account,
        request,
        serviceOptions: settings.options,
        ...(settings.queuePrefix === undefined ? {} : { queuePrefix: settings.queuePrefix }),
        ...(flags.workflowId === undefined ? {} : { workflowId: flags.workflowId }),
        ...(flags.again === true ? { again: true } : {}),
      });
      started.push({ file, handle });
      if (flags.wait !== true) await reportStart(context, { file, handle }, flags.json === true);
    }
    if (flags.wait === true) {
      await waitForUploads(context, started, { json: flags.json === true, debug: flags.debug === true });
    }
  });
}

function reported({ terminal }: CliContext, { wrong }: WrongFiles, flags: UploadFlags): ReportedFailure {
  const view = { json: flags.json === true, debug: flags.debug === true };
  for (const { file, error } of wrong) terminal.report(renderError(error, { ...view, subject: file }));
  if (!view.json) terminal.note('Nothing was started.');
  return new ReportedFailure(exitCodeOf(wrong[0]?.error));
}

/** Only a worker knows what it refuses: what it may refuse is said, and keeps nobody from starting. */
async function tellDoubts(
  { terminal, cwd }: CliContext,
  planned: readonly PlannedUpload[],
  { settings, json }: { readonly settings: Settings; readonly json: boolean },
): Promise<void> {
  const sources = planned.map(({ request: { source } }) => source);
  for (const { message, hint } of await uploadDoubts(sources, { settings, cwd })) {
    if (json) terminal.report(`${plainJson({ warning: { message, hint } })}\n`);
    else terminal.note(plainLine(`Warning: ${message}. ${hint ?? ''}`.trimEnd()));
  }
}

/** Before the first upload starts: an upload that nobody takes would wait for ever. */
async function requireWorkers(
  connection: TemporalConnection,
  planned: readonly PlannedUpload[],
  { account, settings }: { account: Account; settings: Settings },
): Promise<void> {
  const queuePrefix = settings.queuePrefix ?? DEFAULT_QUEUE_PREFIX;
  const distinct = new Map(
    planned.map(({ request: { source } }) => [source.kind === 'path' ? source.host : undefined, source]),
  );
  for (const source of distinct.values()) {
    await requireWorker(connection, { queuePrefix, accountId: accountId(account), source });
  }
}

async function reportStart(
  { terminal }: CliContext,
  { file, handle }: WatchedUpload,
  json: boolean,
): Promise<void> {
  const { workflowId, joined } = handle;
  if (json) return terminal.json({ file, workflowId, joined });
  const how = joined ? 'joined the upload that was started before' : 'started';
  return terminal.data(`${file}: ${how}, ${workflowId}\n`);
}
