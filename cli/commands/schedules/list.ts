import type { Command } from 'commander';
import { accountIdOf, readSettings } from '../../../settings/settings';
import { listSchedules } from '../../../temporal/reports/client/describe-schedule';
import { withLastOutcomes } from '../../../temporal/reports/client/run-report';
import { withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { addHelp } from '../../command-help';
import { printList } from '../../output/print-records';
import { lastRunText, nextRunText, scheduleJson } from './show';

interface ListFlags {
  readonly json?: boolean;
}

export function addSchedulesList(schedules: Command, context: CliContext): void {
  const command = schedules.command('list').description('List the schedules of the account.');
  addHelp(
    command,
    "Prints a table with the last and the next run; with --json one schedule per line. Times are in the schedule's zone, in JSON in UTC. Temporal's index can be a second or two behind.",
    [
      'media-service schedules list',
      'media-service schedules list --json | jq -r \'select(.lastRun.status == "failed").id\'',
    ],
  ).action((flags: ListFlags) => list(context, flags));
}

async function list({ terminal, env }: CliContext, flags: ListFlags): Promise<void> {
  const settings = readSettings(env);
  const found = await withTemporal(settings, async (connection) =>
    withLastOutcomes(connection, await listSchedules(connection, { accountId: accountIdOf(settings) })),
  );
  const json = flags.json === true;
  await printList(terminal, found, {
    json: json ? scheduleJson : undefined,
    row: ({ lastRun, ...schedule }) => ({
      id: schedule.id,
      times: schedule.times,
      zone: schedule.zone,
      last: lastRunText(lastRun, schedule.zone),
      next: nextRunText(schedule),
      targets: schedule.targets.join(' '),
    }),
    noun: 'schedule',
  });
  for (const { id, lastRun } of json ? [] : found) {
    if (lastRun?.status === 'failed')
      terminal.note(`The last run of ${id} failed: \`media-service schedules show ${id}\` says why.`);
  }
}
