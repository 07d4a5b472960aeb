import type { Command } from 'commander';
import { addHelp, withAccount } from '../../context';
import type { CliContext } from '../../context';
import { withLastOutcomes } from '../../../temporal/reports/client/run-report';
import { scheduleJson, lastRunText, nextRunText } from './show';
import { listSchedules } from '../../../temporal/reports/client/describe-schedule';
import { printList } from '../../output/print-records';

export function addSchedulesList(schedules: Command, context: CliContext): void {
  const command = schedules.command('list').description('List the schedules of the account.');
  addHelp(
    command,
    "Prints a table with the last and the next run; with --json one schedule per line. Times are in the schedule's zone, in JSON in UTC. Temporal's index can be a second or two behind.",
    [
      'media-service schedules list',
      'media-service schedules list --json | jq -r \'select(.lastRun.status == "failed").id\'',
    ],
  ).action(() => list(context));
}

async function list(context: CliContext): Promise<void> {
  const { terminal } = context;
  const found = await withAccount(context, async ({ connection, accountId }) =>
    withLastOutcomes(connection, await listSchedules(connection, { accountId })),
  );
  await printList(terminal, found, {
    json: scheduleJson,
    row: (shown) => {
      const { times, zone, targets } = shown.input.schedule;
      return {
        ...{ id: shown.id, times, zone },
        last: lastRunText(shown),
        next: nextRunText(shown),
        targets: targets.map(({ key }) => key).join(' '),
      };
    },
    noun: 'schedule',
  });
  for (const { id, lastRuns } of found) {
    if (lastRuns.at(-1)?.status === 'failed')
      terminal.note(`The last run of ${id} failed: \`media-service schedules show ${id}\` says why.`);
  }
}
