import type { Command } from 'commander';
import { accountId } from '../../../api/account/account-id';
import { readSettings, requireAccount } from '../../../settings/settings';
import { listUploads, type UploadListing } from '../../../temporal/client/list-uploads';
import { withTemporal, type CliContext } from '../../context';
import { teach } from '../../help-text';
import { wholeNumber } from '../../flags/option-values';
import { createTextTable } from '../../output/text-table';

interface ListFlags {
  readonly limit: number;
  readonly everyAccount?: boolean;
  readonly json?: boolean;
}

export function addUploadsList(uploads: Command, context: CliContext): void {
  const command = uploads
    .command('list')
    .description('List uploads, newest first; they stay visible for the namespace’s retention.')
    .option('--limit <n>', 'at most n', wholeNumber(1), 20)
    .option('--every-account', 'those of all accounts in the namespace');
  teach(command, {
    output:
      'A table of uploads. --json: one upload a line\n' +
      '{"workflowId","runId","status","startedAt","closedAt","label","ingestKey","uploadId","mediaId"}.\n' +
      'Temporal’s index can lag by a second or two.',
    exits: ['CONFIGURATION', 'TEMPORAL'],
    examples: [
      { says: 'The last twenty', run: 'media-service uploads list' },
      {
        says: 'Ids of all that run',
        run: 'media-service uploads list --limit 1000 --json | jq -r \'select(.status=="RUNNING").workflowId\'',
      },
    ],
  }).action((flags: ListFlags) => list(context, flags));
}

async function list({ terminal }: CliContext, flags: ListFlags): Promise<void> {
  const settings = readSettings();
  const filter = {
    limit: flags.limit,
    ...(settings.queuePrefix === undefined ? {} : { queuePrefix: settings.queuePrefix }),
    ...(flags.everyAccount === true ? {} : { accountId: accountId(requireAccount(settings)) }),
  };
  const found = await withTemporal(settings, (connection) => listUploads(connection, filter));
  if (flags.json === true) {
    for (const upload of found) await terminal.json(upload);
    return;
  }
  const rows = found.map(rowOf);
  if (rows.length > 0) await terminal.data(createTextTable(rows, Object.keys(rows[0] ?? {}))(rows));
  terminal.note(`${found.length} upload${found.length === 1 ? '' : 's'}.`);
}

function rowOf({ status, label, startedAt, mediaId, workflowId }: UploadListing): Record<string, string> {
  return {
    status,
    file: label ?? '',
    started: startedAt.toISOString(),
    media: mediaId ?? '',
    workflow: workflowId,
  };
}
