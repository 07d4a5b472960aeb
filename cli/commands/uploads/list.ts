import type { Command } from 'commander';
import { RUN_STATUSES } from '../../../temporal/client/list-executions';
import type { RunStatus } from '../../../temporal/client/list-executions';
import { listUploads } from '../../../temporal/upload/client/list-uploads';
import { withAccount, addHelp } from '../../context';
import type { CliContext } from '../../context';
import { given } from '../../../api/json';
import { parseWhen } from '../../../api/when';
import { collect, localZone, numberFrom, wordOf } from '../../flags/options';
import { printList } from '../../output/print-records';

interface ListFlags {
  readonly limit: number;
  readonly status?: readonly RunStatus[];
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
      `${RUN_STATUSES.join(', ')}; repeatable (default: all)`,
      collect(wordOf(RUN_STATUSES)),
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
  ).action(async ({ from, to, ...flags }: ListFlags) => {
    const { terminal, clock, interrupts } = context;
    const now = clock.now();
    const at = (text: string | undefined, field: string): number | undefined =>
      text === undefined ? undefined : Date.parse(parseWhen(text, { now, zone: localZone(), field }));
    const chosen = { ...flags, ...given({ from: at(from, '--from'), to: at(to, '--to') }) };
    const found = await withAccount(context, ({ connection, settings: { queuePrefix }, accountId }) =>
      listUploads(connection, { ...chosen, accountId, queuePrefix, signal: interrupts.first }),
    );
    await printList(terminal, found, {
      noun: 'upload',
      row: ({ status, label = '', startedAt, mediaId: media = '', workflowId: workflow }) => ({
        // The id is last, because the last cell is never cut.
        ...{ status, file: label, started: startedAt.toISOString(), media, workflow },
      }),
    });
  });
}
