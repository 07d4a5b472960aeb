import type { Command } from 'commander';
import { accountId } from '../../../api/account/account-id';
import { parseWhen } from '../../../api/when';
import { readSettings, requireAccount, type Settings } from '../../../settings/settings';
import {
  listUploads,
  UPLOAD_STATUSES,
  type ListUploads,
  type UploadStatus,
} from '../../../temporal/client/list-uploads';
import { batchWorkflowOf } from '../../batch/batch-ids';
import { withTemporal, type CliContext } from '../../context';
import { collect, oneOf, wholeNumber } from '../../flags/option-values';
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
    .description('List uploads, newest start first; they stay visible for the namespace’s retention.')
    .option('--limit <n>', 'at most n', wholeNumber(1), 20)
    .option(
      '--status <status>',
      `${UPLOAD_STATUSES.join(', ')}; repeatable (default: all)`,
      collect(oneOf(UPLOAD_STATUSES)),
    )
    .option('--name <text>', 'only files whose name contains the text')
    .option('--batch <id>', 'only rows of this batch that have a workflow of their own: large files')
    .option('--batch-rows', 'rows of batches with a workflow of their own, too (default: only other uploads)')
    .option('--from <when>', 'started then or later: 2026-11-01, -24h, yesterday, or ISO with any zone')
    .option('--to <when>', 'started before then')
    .option('--every-account', 'those of all accounts in the namespace');
  addHelp(command, {
    output:
      'A table of uploads; ERROR is the code of a failed one, and `uploads show` explains it. --json: one upload a line ' +
      '{"workflowId","runId","status","paused","startedAt","closedAt","label","ingestKey","uploadId","mediaId",' +
      '"error":{"code","message","hint"}}. The newest fifty that failed have their error. The newest fifty that run show ' +
      'whether they are paused, if a worker answers; for --status they are RUNNING. Temporal’s index can lag by a second or two.',
    exits: ['CONFIGURATION', 'TEMPORAL'],
    examples: [
      {
        says: 'What failed since yesterday, rows of batches included',
        run: 'media-service uploads list --status FAILED --from yesterday --batch-rows',
      },
      {
        says: 'Ids of all that run',
        run: 'media-service uploads list --status RUNNING --limit 1000 --json | jq -r .workflowId',
      },
    ],
  }).action((flags: ListFlags) => list(context, flags));
}

async function list({ terminal, clock, interrupts }: CliContext, flags: ListFlags): Promise<void> {
  const settings = readSettings();
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
      createTextTable(rows, { wished: Object.keys(rows[0] ?? {}), columns: terminal.columns })(rows),
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
    ...(status === undefined ? {} : { status }),
    ...(name === undefined ? {} : { name }),
    ...(from === undefined ? {} : { from: at(from, '--from') }),
    ...(to === undefined ? {} : { to: at(to, '--to') }),
    ...(batch === undefined ? {} : { batch: batchWorkflowOf(settings, batch) }),
    ...(batch === undefined && batchRows !== true ? { batch: 'none' } : {}),
    ...(settings.queuePrefix === undefined ? {} : { queuePrefix: settings.queuePrefix }),
    ...(everyAccount === true ? {} : { accountId: accountId(requireAccount(settings)) }),
  };
}
