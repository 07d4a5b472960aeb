import type { Command } from 'commander';
import { given } from '../../../api/json';
import { parseWhen } from '../../../api/when';
import { listUploads, UPLOAD_STATUSES } from '../../../temporal/upload/client/list-uploads';
import type { UploadListing, UploadStatus } from '../../../temporal/upload/client/list-uploads';
import { withAccount } from '../../context';
import type { CliContext } from '../../context';
import { collect, numberFrom, wordOf } from '../../flags/option-values';
import { addHelp } from '../../command-help';
import { printList } from '../../output/print-records';

interface ListFlags {
  readonly limit: number;
  readonly status?: readonly UploadStatus[];
  readonly name?: string;
  readonly from?: string;
  readonly to?: string;
}

export function addUploadsList(uploads: Command, context: CliContext): void {
  const command = uploads
    .command('list')
    .description('List uploads, newest first, within the retention time of the namespace.')
    .option('--limit <n>', 'maximum number to list', numberFrom(1), 20)
    .option(
      '--status <status>',
      `${UPLOAD_STATUSES.join(', ')}; repeatable (default: all)`,
      collect(wordOf(UPLOAD_STATUSES)),
    )
    .option('--name <text>', 'only files whose name contains this text, in upper or lower case')
    .option('--from <when>', 'started at this time or later: 2026-11-01, -24h, yesterday, or an ISO time')
    .option('--to <when>', 'started before this time');
  addHelp(
    command,
    "Prints a table, newest first; with --json one upload per line. `uploads show` says why one failed, and whether one is paused. Temporal's index can be a second or two behind.",
    [
      'media-service uploads list --status FAILED --from yesterday',
      'media-service uploads list --status RUNNING --limit 1000 --json | jq -r .workflowId',
    ],
  ).action((flags: ListFlags) => list(context, flags));
}

async function list(context: CliContext, { from, to, ...flags }: ListFlags): Promise<void> {
  const { terminal, clock, interrupts } = context;
  const now = clock.now();
  const at = (text: string | undefined, field: string): number | undefined =>
    text === undefined ? undefined : Date.parse(parseWhen(text, { now, field }));
  const chosen = { ...flags, ...given({ from: at(from, '--from'), to: at(to, '--to') }) };
  const found = await withAccount(context, ({ connection, settings: { queuePrefix }, accountId }) =>
    listUploads(connection, { ...chosen, accountId, ...given({ queuePrefix }), signal: interrupts.first }),
  );
  await printList(terminal, found, { row: listedRow, noun: 'upload' });
}

/** Returns the cells of an upload's line. The id is last, because the last cell is never cut. */
function listedRow({ status, label, startedAt, mediaId, workflowId }: UploadListing): Record<string, string> {
  return {
    status,
    file: label ?? '',
    started: startedAt.toISOString(),
    media: mediaId ?? '',
    workflow: workflowId,
  };
}
