import type { Command } from 'commander';
import { deleteSchedule, listSchedules } from '../../../temporal/reports/client/describe-schedule';
import { runSchedule, withLastOutcomes } from '../../../temporal/reports/client/run-report';
import { addHelp } from '../../command-help';
import { withAccount } from '../../context';
import type { CliContext } from '../../context';
import { ReportedFailure } from '../../exit-codes';
import { warnWithoutWorker } from '../../missing-worker';
import { printList } from '../../output/print-records';
import { controlEach } from '../control';
import { lastRunText, nextRunText, reportResultText, scheduleJson } from './show';

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

export function addSchedulesRun(schedules: Command, context: CliContext): void {
  const command = schedules
    .command('run')
    .description('Send the report that is due now. What was delivered is not sent again.')
    .argument('<id>', 'as `schedules list` shows it')
    .option('--wait', 'wait for the end');
  addHelp(
    command,
    "What was delivered is not sent again. With --wait it prints the number of deliveries and one line per target, and fails if a target can't be reached. If no worker is running, the run waits for one.",
    [
      'media-service schedules run morning --wait',
      "media-service schedules run morning --wait --json | jq -r '.targets[].outcome'",
    ],
  ).action((id: string, { wait }: { readonly wait?: boolean }) => run(context, id, wait));
}

async function run(context: CliContext, id: string, wait = false): Promise<void> {
  const { terminal, interrupts } = context;
  await withAccount(context, async ({ connection, accountId }) => {
    const handle = await runSchedule(connection, { accountId, id }, interrupts.first);
    const { workflowId, joined, need } = handle;
    const waits = { needs: [need], starts: 'The report is sent' };
    await warnWithoutWorker(terminal, connection, waits);
    if (!wait) return terminal.answer({ workflowId, joined }, `${workflowId}\n`);
    terminal.note(`${joined ? 'A run is already in progress' : 'Waiting for'}: ${workflowId}`);
    const result = await handle.result(interrupts.first);
    return terminal.answer({ workflowId, joined, ...result }, reportResultText(result, handle.zone));
  });
}

export function addSchedulesDelete(schedules: Command, context: CliContext): void {
  const command = schedules
    .command('delete')
    .description('Delete a schedule. A new schedule with the same id begins one period back.')
    .argument('<id...>', 'as `schedules list` shows them');
  addHelp(command, 'Prints one line per schedule. A new schedule with the same id begins one period back.', [
    'media-service schedules delete morning',
    'media-service schedules list --json | jq -r .id | xargs media-service schedules delete',
  ]).action(async (ids: string[]) => {
    const { terminal } = context;
    const failure = await withAccount(context, ({ connection, accountId }) =>
      controlEach(terminal, ids, {
        control: (id) => deleteSchedule(connection, { accountId, id }),
        done: (id) => terminal.answer({ id, done: 'delete' }, `${id}: deleted\n`),
      }),
    );
    if (failure !== undefined) throw new ReportedFailure(failure);
  });
}
