import type { Command } from 'commander';
import { accountIdOf, readSettings } from '../../../settings/settings';
import { listSchedules } from '../../../temporal/reports/client/describe-schedule';
import { withLastOutcomes } from '../../../temporal/reports/client/run-report';
import { withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { addHelp } from '../../command-help';
import { printTable } from '../../output/print-records';
import { lastRunText, nextRunText, scheduleJson } from './show';

interface ListFlags {
  readonly everyAccount?: boolean;
  readonly json?: boolean;
}

export function addScheduleList(schedule: Command, context: CliContext): void {
  const command = schedule
    .command('list')
    .description('List the schedules of the account.')
    .option('--every-account', 'list schedules of all accounts in the namespace');
  addHelp(command, {
    output:
      'A table; LAST is the result of the last run. Times are in the schedule\'s zone; in JSON they are in UTC. --json: one schedule per line {"id","scheduleId","accountId","times","zone","targets","paused","nextTimes","lastRun":{"at","workflowId","status","error","waitReason"}}.\n' +
      "Temporal's index can be a second or two behind.",
    exits: ['CONFIGURATION', 'TEMPORAL'],
    examples: [
      { says: 'All schedules of this account', run: 'media-service schedule list' },
      {
        says: 'Whose last run failed?',
        run: 'media-service schedule list --json | jq -r \'select(.lastRun.status == "failed").id\'',
      },
    ],
  }).action((flags: ListFlags) => list(context, flags));
}

async function list({ terminal, env }: CliContext, flags: ListFlags): Promise<void> {
  const settings = readSettings(env);
  const filter = flags.everyAccount === true ? {} : { accountId: accountIdOf(settings) };
  const found = await withTemporal(settings, async (connection) =>
    withLastOutcomes(connection, await listSchedules(connection, filter)),
  );
  if (flags.json === true) {
    for (const schedule of found) await terminal.json(scheduleJson(schedule));
    return;
  }
  const rows = found.map(({ lastRun, ...schedule }) => ({
    id: schedule.id,
    times: schedule.times,
    zone: schedule.zone,
    last: lastRunText(lastRun, schedule.zone),
    next: nextRunText(schedule),
    targets: schedule.targets.join(' '),
  }));
  await printTable(terminal, rows);
  for (const { id, lastRun } of found) {
    if (lastRun?.status === 'failed')
      terminal.note(`The last run of ${id} failed: \`media-service schedule show ${id}\` says why.`);
  }
  terminal.note(`${found.length} schedule${found.length === 1 ? '' : 's'}.`);
}
