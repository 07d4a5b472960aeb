import type { Command } from 'commander';
import { given } from '../../api/json';
import { accountId } from '../../api/account';
import { readSettings } from '../../settings/settings';
import { startUpload } from '../../temporal/upload/client/start-upload';
import { uploadNeed } from '../../temporal/client/living-workers';
import { checkedAccount, withTemporal, addHelp } from '../context';
import type { CliContext } from '../context';
import { exitCodeOf, ReportedFailure } from '../exit-codes';
import type { Terminal } from '../output/terminal';
import { planUploads, withUploadFlags } from '../uploads/upload-plan';
import type { UploadFlags, WrongFile } from '../uploads/upload-plan';
import { startEach } from './uploads/retry';

/** `media-service upload FILE…`: starts durable uploads and waits for them if asked. */
export function addUpload(program: Command, context: CliContext): void {
  const command = withUploadFlags(
    program
      .command('upload')
      .description(
        'Upload files durably through Temporal: uploads continue without this terminal and after restarts.',
      )
      .argument('<file...>', 'paths, http(s) URLs or s3://bucket/key'),
  );
  addHelp(
    command,
    'Prints one line per upload; with --json one object per line, with --wait in the order they end. The same file with the same title joins its earlier upload. For a folder, use `batches`. If no worker is running, uploads wait for one. Ctrl-C and SIGTERM detach: the upload continues.',
    [
      'media-service upload harbour.mp4 --wait --title "Harbour at dawn" --tag project=apollo',
      'media-service upload *.mp4 --wait --json | jq -r .mediaId',
    ],
  ).action((files: string[], flags: UploadFlags) => upload(context, files, flags));
}

async function upload(context: CliContext, files: readonly string[], flags: UploadFlags): Promise<void> {
  const settings = readSettings(context.env);
  const account = checkedAccount(settings);
  const { planned, wrong } = await planUploads(files, flags, { account, cwd: context.cwd, settings });
  refuseWrong(context.terminal, wrong);
  const { queuePrefix, options: serviceOptions } = settings;
  const again = flags.again === true || undefined;
  const start = { account, queuePrefix, serviceOptions, ...given({ again }) };
  await withTemporal(settings, (connection) =>
    startEach(context, connection, {
      ...{ items: planned, wait: flags.wait === true },
      words: { joined: 'joined the earlier upload', begun: 'started' },
      subjectOf: ({ file }) => (planned.length === 1 ? undefined : file),
      start: async ({ file, request, content: identity }) => {
        const handle = await startUpload(connection, { ...start, request, ...given({ identity }) });
        const ids = { queuePrefix, accountId: accountId(account) };
        // An upload that was joined may have ended.
        const need = handle.joined ? undefined : uploadNeed({ ...ids, source: request.source });
        return { file, handle, ...given({ need }) };
      },
    }),
  );
}

/** Throws `ReportedFailure` with the exit code of the first wrong file. */
function refuseWrong(terminal: Terminal, wrong: readonly WrongFile[]): void {
  const [first] = wrong;
  if (first === undefined) return;
  for (const { file, error } of wrong) terminal.fail(error, file);
  terminal.note('Nothing was started.');
  throw new ReportedFailure(exitCodeOf(first.error));
}
