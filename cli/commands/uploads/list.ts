import type { Command } from 'commander';
import { given } from '../../../api/json';
import { parseWhen } from '../../../api/when';
import { accountIdOf, readSettings } from '../../../settings/settings';
import type { Settings } from '../../../settings/settings';
import { listUploads, UPLOAD_STATUSES } from '../../../temporal/upload/client/list-uploads';
import type { ListUploads, UploadStatus } from '../../../temporal/upload/client/list-uploads';
import { batchWorkflowOf } from '../../batch/batch-ids';
import { withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { collect, numberFrom, textFrom, wordOf } from '../../flags/option-values';
import { addHelp } from '../../command-help';
import { createTextTable } from '../../output/text-table';
import { listedRow, withDetails } from '../../uploads/listed-upload';

interface ListFlags {
  readonly limit: number;
  readonly status?: readonly UploadStatus[];
  readonly name?: string;
  readonly batch?: string;
  readonly batchRows?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly everyAccount?: boolean;
  readonly json?: boolean;
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
    .option('--name <text>', "only files whose name contains this text, or matches it: '*.mov'", textFrom)
    .option('--batch <id>', 'only rows of this batch that have their own workflow: large files')
    .option('--batch-rows', 'also rows of batches that have their own workflow')
    .option('--from <when>', 'started at this time or later: 2026-11-01, -24h, yesterday, or an ISO time')
    .option('--to <when>', 'started before this time')
    .option('--every-account', 'list uploads of all accounts in the namespace');
  addHelp(command, {
    output:
      'A table of uploads; ERROR is the code of a failed upload, and `uploads show` explains it. --json: one upload per line ' +
      '{"workflowId","runId","status","paused","startedAt","closedAt","label","ingestKey","uploadId","mediaId","unreadable",' +
      '"error":{"code","message","hint"}}. The newest fifty failed uploads have their error. The newest fifty running ' +
      "uploads show whether they are paused if a worker responds; --status RUNNING includes them. Temporal's index can be a second or two behind.",
    exits: ['CONFIGURATION', 'TEMPORAL'],
    examples: [
      {
        says: 'What failed since yesterday, including rows of batches',
        run: 'media-service uploads list --status FAILED --from yesterday --batch-rows',
      },
      {
        says: 'Ids of all running uploads',
        run: 'media-service uploads list --status RUNNING --limit 1000 --json | jq -r .workflowId',
      },
    ],
  }).action((flags: ListFlags) => list(context, flags));
}

async function list({ terminal, clock, interrupts, env }: CliContext, flags: ListFlags): Promise<void> {
  const settings = readSettings(env);
  const filter = { ...filterOf(settings, flags, clock.now()), signal: interrupts.first };
  const found = await withTemporal(settings, async (connection) =>
    withDetails(connection, await listUploads(connection, filter)),
  );
  if (flags.json === true) {
    for (const upload of found) await terminal.json(upload);
    return;
  }
  const rows = found.map(listedRow);
  if (rows.length > 0)
    await terminal.data(
      createTextTable(rows, { preferred: Object.keys(rows[0] ?? {}), columns: terminal.columns })(rows),
    );
  terminal.note(`${found.length} upload${found.length === 1 ? '' : 's'}.`);
  if (flags.batch !== undefined) {
    terminal.note(
      `Small files of a batch share the workflows of its pages: \`media-service batch report ${flags.batch}\` shows every row.`,
    );
  }
}

function filterOf(settings: Settings, flags: ListFlags, now: number): ListUploads {
  const { limit, status, name, batch, batchRows, from, to, everyAccount } = flags;
  const at = (text: string, field: string): number => Date.parse(parseWhen(text, { now, field }));
  return {
    limit,
    ...given({ status, name }),
    ...(from === undefined ? {} : { from: at(from, '--from') }),
    ...(to === undefined ? {} : { to: at(to, '--to') }),
    ...(batch === undefined ? {} : { batch: batchWorkflowOf(settings, batch) }),
    ...(batch === undefined && batchRows !== true ? { batch: 'none' } : {}),
    ...(settings.queuePrefix === undefined ? {} : { queuePrefix: settings.queuePrefix }),
    ...(everyAccount === true ? {} : { accountId: accountIdOf(settings) }),
  };
}
