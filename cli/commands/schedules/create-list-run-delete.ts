import type { Command } from 'commander';
import { checkedAccount, withTemporal, addHelp, withAccount } from '../../context';
import type { CliContext } from '../../context';
import { readSettings } from '../../../settings/settings';
import { createSchedule } from '../../../temporal/reports/client/create-schedule';
import { checkSchedule } from '../../../temporal/reports/client/report-schedule';
import type { ScheduleRequest } from '../../../temporal/reports/client/report-schedule';
import { reportNeed, runSchedule, withLastOutcomes } from '../../../temporal/reports/client/run-report';
import { sealKeysOf } from '../../../temporal/seal';
import { scheduleJson, scheduleSummaryText, lastRunText, nextRunText, reportResultText } from './show';
import { warnWithoutWorker } from '../../missing-worker';
import { given } from '../../../api/json';
import { collect } from '../../flags/options';
import { deleteSchedule, listSchedules } from '../../../temporal/reports/client/describe-schedule';
import { ReportedFailure } from '../../exit-codes';
import { printList } from '../../output/print-records';
import { controlEach } from '../control';

/** `media-service schedules create`. */
export function addSchedulesCreate(schedules: Command, context: CliContext): void {
  const command = withScheduleFlags(
    schedules
      .command('create')
      .description('Report failed webhook deliveries at fixed times: by mail, to webhooks, as files.'),
  );
  addHelp(
    command,
    'Prints when it fires next; with --json one object. An existing id is refused. Only names of secrets are stored. A report begins where the last delivered one ended.',
    [
      'media-service schedules create --id morning --at 07:00 --timezone Europe/Berlin --target file:/srv/reports',
      "media-service schedules create --id weekdays --cron '0 7 * * 1-5' --target mail:ops@example.org --smtp-secret smtp --mail-from reports@example.org --target https://hooks.example.org/reports --webhook-secret signing",
    ],
  ).action((flags: ScheduleFlags) => run(context, flags));
}

async function run({ terminal, cwd, clock, env }: CliContext, flags: ScheduleFlags): Promise<void> {
  const settings = readSettings(env);
  const request = scheduleRequestOf(flags);
  // Mistakes in flags come before mistakes in the account. Nothing that is sealed here is kept.
  const reading = { cwd, sealKeys: sealKeysOf(''), allowPlainHttp: settings.options.allowPlainHttp };
  await checkSchedule(request, reading, clock.now());
  const account = checkedAccount(settings);
  const schedule = await withTemporal(settings, async (connection) => {
    const created = await createSchedule(connection, {
      account,
      serviceOptions: settings.options,
      request,
      paths: flags.sharedPath === true ? { cwd } : { cwd, host: settings.host },
      ...given({ queuePrefix: settings.queuePrefix }),
    });
    const need = reportNeed(created.input);
    const waits = { needs: [need], starts: 'Reports are sent' };
    await warnWithoutWorker(terminal, connection, waits);
    return created;
  });
  await terminal.answer(scheduleJson(schedule), `${scheduleSummaryText(schedule)}\n`);
  terminal.note(`Try it: media-service schedules run ${schedule.id} sends the report that is due now.`);
}

/** The texts as given. */
export interface ScheduleFlags {
  readonly id?: string;
  readonly at?: string;
  readonly cron?: string;
  readonly timezone?: string;
  readonly target?: readonly string[];
  readonly sharedPath?: boolean;
  readonly smtpSecret?: string;
  readonly mailFrom?: string;
  readonly webhookSecret?: string;
  readonly mediaId?: string;
  readonly subAccount?: string;
}

const texts = collect((text) => text);

/** The flags of a new schedule: when, where to, and which deliveries. */
export function withScheduleFlags(command: Command): Command {
  return command
    .option('--id <id>', 'required: name within the account: letters, digits, ".", "_", "-"')
    .option('--at <time>', 'time of each day (default: 07:00)')
    .option('--cron <cron>', 'instead of --at: minute, hour, day of month, month, day of week')
    .option('--timezone <zone>', 'time zone, for example Europe/Berlin (default: UTC)')
    .option(
      '--target <target>',
      'required: mail:a@b[,c@d], https://…, s3://bucket/folder, file:/folder; repeatable',
      texts,
    )
    .option('--smtp-secret <name>', 'name of the secret with the mail server: smtps://user:password@host')
    .option('--mail-from <address>', 'sender address of mails')
    .option('--webhook-secret <name>', 'name of the secret that signs webhook posts (default: unsigned)')
    .option(
      '--shared-path',
      'every worker mounts the folders that are given; otherwise they are on this machine',
    )
    .option('--media-id <id>', 'only deliveries about this media item')
    .option('--sub-account <id>', 'only this sub-account (default: all of the account)');
}

/** Returns the request from the flags. */
export function scheduleRequestOf(flags: ScheduleFlags): ScheduleRequest {
  const { id = '', at, cron, timezone, target = [], smtpSecret, mailFrom, webhookSecret } = flags;
  const { mediaId, subAccount } = flags;
  return {
    id,
    targets: target,
    timing: given({ at, cron }),
    ...given({ zone: timezone, smtpSecret, mailFrom, webhookSecret }),
    scope: given({ mediaId, subAccountId: subAccount }),
  };
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
  ).action((id: string, { wait = false }: { readonly wait?: boolean }) =>
    withAccount(context, async ({ connection, accountId }) => {
      const { terminal, interrupts } = context;
      const handle = await runSchedule(connection, { accountId, id }, interrupts.first);
      const { workflowId, joined, need } = handle;
      await warnWithoutWorker(terminal, connection, { needs: [need], starts: 'The report is sent' });
      if (!wait) return terminal.answer({ workflowId, joined }, `${workflowId}\n`);
      terminal.note(`${joined ? 'A run is already in progress' : 'Waiting for'}: ${workflowId}`);
      const result = await handle.result(interrupts.first);
      return terminal.answer({ workflowId, joined, ...result }, reportResultText(result, handle.zone));
    }),
  );
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
